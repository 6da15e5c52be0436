import type { AnyStorage, MaybePromise, StorageTraits } from "../storage/types.js";
import { isRecordStorage } from "../storage/types.js";
import { check, equal, eventually, failure } from "./asserts.js";
import { type Handle, handleOf } from "./handle.js";
import { recordCases } from "./record-cases.js";

/** What a test runner may hand to a test; `skip` marks a case that the storage says it cannot meet. */
export interface ContractContext {
  skip?(reason?: string): void;
}

/**
 * Makes a handle on the list at `place`: a name of letters, digits and dashes. The same place
 * again gives a second handle on the same list, as another tab or process would have; a place not
 * named before is empty.
 */
export type MakeStorage = (place: string) => MaybePromise<AnyStorage & StorageTraits>;

/** Options of {@link storageContract}. */
export interface ContractOptions {
  /** Registers one test: `test` of node:test, Vitest, Jest, Bun or Deno. */
  readonly test: (name: string, run: (context?: ContractContext) => Promise<void>) => unknown;
  /** Put before the name of each test. */
  readonly name?: string;
  /** Which kind is made; `"snapshot"` if absent. */
  readonly kind?: "snapshot" | "records";
  /** How many handles count at once; 4 if absent. */
  readonly writers?: number;
  /** How often each of them adds one; 20 if absent. */
  readonly increments?: number;
  /** How long a subscription's hint may take, in milliseconds; 3,000 if absent. */
  readonly hintMs?: number;
  /**
   * Makes every save to a place fail, through all its handles, until the returned function is
   * called: a full disk, a revoked right. Without it the case of a failing save is skipped.
   */
  readonly breakSaves?: (place: string) => MaybePromise<() => MaybePromise<void>>;
}

/** What a case works with. */
export interface CaseTools {
  /** A handle on the case's place; `other` names a further place of the same case. */
  open(other?: string): Promise<Handle>;
  /** The name of the place that `open()` opens. */
  readonly place: string;
  readonly options: ContractOptions;
  readonly skip: (reason: string) => void;
}

/** A case of the suite: what must hold, and the check of it. */
export interface Case {
  readonly title: string;
  /** Only for a storage with compare-and-swap. */
  readonly cas?: boolean;
  run(tools: CaseTools): Promise<void>;
}

const fidelity: readonly (readonly [string, string])[] = [
  ["letters beyond ASCII", '{"title":"Füße, naïve, Ελλάδα, 日本語, עברית, नमस्ते"}'],
  ["emoji, joined and beyond 16 bits", '{"title":"👩‍👩‍👧‍👦 🏳️‍🌈 𝒳 \u{10ffff}"}'],
  ["the same letter composed and decomposed", '{"a":"\u00e9","b":"e\u0301"}'],
  ["line ends and separators", '{\r\n\t"a": "\\u0000 \u2028\u2029\u0085"\n}\n'],
  ["blanks at both ends", '  \n{"a":1}\n  '],
  ["names of Object.prototype", '{"__proto__":{"x":1},"constructor":"c","toString":null}'],
];

const cases: readonly Case[] = [
  {
    title: "an empty place loads null",
    async run({ open }) {
      equal(await (await open()).read(), null, "load");
    },
  },
  {
    title: "what was saved is loaded, here and through another handle",
    async run({ open }) {
      const first = await open();
      const saved = await first.write('{"n":1}', null);
      check(saved !== false, "the first save goes through");
      equal(await first.read(), { text: '{"n":1}', revision: saved }, "load");
      equal(await (await open()).read(), { text: '{"n":1}', revision: saved }, "load by another handle");
    },
  },
  {
    title: "saves follow one another, and an unchanged text may be saved",
    async run({ open }) {
      const handle = await open();
      let revision: string | null = null;
      for (const text of ['{"n":1}', '{"n":2}', '{"n":2}', '{"n":1}']) {
        const saved = await handle.write(text, revision);
        check(saved !== false, `saving ${text} goes through`);
        revision = saved;
        equal((await handle.read())?.text, text, "load");
      }
    },
  },
  {
    title: "places are separate",
    async run({ open }) {
      const one = await open();
      const two = await open("two");
      await one.write('{"place":1}', null);
      equal(await two.read(), null, "the other place");
      await two.write('{"place":2}', null);
      equal((await one.read())?.text, '{"place":1}', "the first place");
    },
  },
  {
    title: "compare-and-swap: a save on nothing is refused where something is",
    cas: true,
    async run({ open }) {
      const one = await open();
      const two = await open();
      check(typeof (await one.write('{"by":1}', null)) === "string", "the first save returns a revision");
      equal(await two.write('{"by":2}', null), false, "the second save on nothing");
      equal((await two.read())?.text, '{"by":1}', "load");
    },
  },
  {
    title: "compare-and-swap: a save on an old or unknown revision is refused and writes nothing",
    cas: true,
    async run({ open }) {
      const one = await open();
      const two = await open();
      equal(await one.write('{"n":0}', "no-such-revision"), false, "a save on an unknown revision of nothing");
      equal(await one.read(), null, "still nothing");
      const first = await one.write('{"n":1}', null);
      check(typeof first === "string", "a save returns a revision");
      const second = await two.write('{"n":2}', first);
      check(typeof second === "string" && second !== first, "another text has another revision");
      equal(await one.write('{"n":3}', first), false, "a save on the revision before");
      equal(await one.read(), { text: '{"n":2}', revision: second }, "load");
    },
  },
  {
    title: "compare-and-swap: of saves at once on one revision exactly one goes through",
    cas: true,
    async run({ open }) {
      const handles = await Promise.all([open(), open(), open(), open()]);
      let revision: string | null = null;
      for (let round = 0; round < 5; round++) {
        const saved = await Promise.all(handles.map((h, i) => h.write(`{"round":${round},"by":${i}}`, revision)));
        const winners = saved.flatMap((s, i) => (s === false ? [] : [i]));
        equal(winners.length, 1, `winners of round ${round}`);
        const winner = winners[0] as number;
        const found = await (handles[0] as Handle).read();
        equal(found?.text, `{"round":${round},"by":${winner}}`, "the winner's text");
        equal(found?.revision, saved[winner], "the winner's revision");
        revision = found?.revision ?? null;
      }
    },
  },
  {
    title: "compare-and-swap: writers that count lose no update",
    cas: true,
    async run({ open, options }) {
      const writers = options.writers ?? 4;
      const increments = options.increments ?? 20;
      const count = async (): Promise<void> => {
        const handle = await open();
        for (let done = 0; done < increments; ) {
          const found = await handle.read();
          const n = found === null ? 0 : (JSON.parse(found.text) as { n: number }).n;
          if ((await handle.write(`{"n":${n + 1}}`, found?.revision ?? null)) !== false) done++;
        }
      };
      await Promise.all(Array.from({ length: writers }, count));
      equal((await (await open()).read())?.text, `{"n":${writers * increments}}`, "the count");
    },
  },
  {
    title: "text is kept to the letter",
    async run({ open }) {
      const handle = await open();
      const long = `{"long":"${"aé日👍\\n".repeat(110_000)}"}`;
      for (const [what, text] of [...fidelity, ["a megabyte", long] as const]) {
        const before = await handle.read();
        check((await handle.write(text, before?.revision ?? null)) !== false, `${what}: saved`);
        const found = await handle.read();
        check(found?.text === text, `${what}: loaded as saved`);
      }
    },
  },
  {
    title: "a subscriber hears of another handle's save, until it unsubscribes",
    async run({ open, options, skip }) {
      const reader = await open();
      const writer = await open();
      if (reader.storage.subscribe === undefined) return skip("the storage has no subscribe");
      const first = await writer.write('{"n":1}', null);
      let heard = 0;
      const off = reader.storage.subscribe(() => heard++);
      check(typeof off === "function", "subscribe returns a function");
      await new Promise((resolve) => setTimeout(resolve, 50));
      heard = 0;
      const second = await writer.write('{"n":2}', first === false ? null : first);
      check(await eventually(() => heard > 0, options.hintMs ?? 3_000), "the hint came");
      equal((await reader.read())?.text, '{"n":2}', "what the hint was about");
      off();
      off();
      await new Promise((resolve) => setTimeout(resolve, 50));
      heard = 0;
      await writer.write('{"n":3}', second === false ? null : second);
      await new Promise((resolve) => setTimeout(resolve, 100));
      equal(heard, 0, "hints after the end");
    },
  },
  {
    title: "a failed save throws and leaves the old text",
    async run({ open, place, options, skip }) {
      if (options.breakSaves === undefined) return skip("no way given to make saves fail");
      const handle = await open();
      const revision = await handle.write('{"n":1}', null);
      const repair = await options.breakSaves(place);
      try {
        const error = await failure(() => handle.write('{"n":2}', revision === false ? null : revision), "a broken save");
        check(error instanceof Error && error.message !== "", "the failure is an error with a message");
      } finally {
        await repair();
      }
      equal((await (await open()).read())?.text, '{"n":1}', "the old text");
      const now = await handle.read();
      check((await handle.write('{"n":3}', now?.revision ?? null)) !== false, "after the repair saves go through");
    },
  },
];

let suites = 0;

/**
 * Registers the tests that every storage must pass, shipped or your own:
 *
 * ```ts
 * import { test } from "node:test";
 * import { storageContract } from "blockedby/testing";
 * storageContract((place) => myStorage({ key: place }), { test });
 * ```
 *
 * A storage that declares `compareAndSwap: false` skips the cases of that, visibly.
 */
export function storageContract(makeStorage: MakeStorage, options: ContractOptions): void {
  const kind = options.kind ?? "snapshot";
  const suite = `contract-${suites++}`;
  const all = kind === "records" ? [...cases, ...recordCases] : cases;
  const prefix = options.name === undefined ? "" : `${options.name}: `;
  for (const [index, { title, cas, run }] of all.entries()) {
    options.test(`${prefix}${title}`, async (context) => {
      const opened: (AnyStorage & StorageTraits)[] = [];
      const place = `${suite}-${index}`;
      const open = async (other?: string): Promise<Handle> => {
        const storage = await makeStorage(other === undefined ? place : `${place}-${other}`);
        check(isRecordStorage(storage) === (kind === "records"), `the storage is of the kind ${kind}`);
        opened.push(storage);
        return handleOf(storage);
      };
      const skip = (reason: string): void => void context?.skip?.(reason);
      try {
        if (cas === true && (await open("traits")).storage.compareAndSwap === false) {
          return skip("the storage declares compareAndSwap: false");
        }
        await run({ open, place, options, skip });
      } finally {
        for (const storage of opened) await storage.close?.();
      }
    });
  }
}
