// What the other scripts stand on: the wasm target, the npm packages, xtask. Only Node's own
// modules are used here, because this runs before anything was installed.
import { existsSync } from "node:fs";
import { unlessFresh } from "./fresh.mjs";
import { withLock } from "./lock.mjs";
import { Foreseen, timed } from "./log.mjs";
import { at, root, xtask } from "./paths.mjs";
import { capture, findOnPath, run } from "./run.mjs";

const target = "wasm32-unknown-unknown";
const oldestNode = 20;

function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < oldestNode) {
    throw new Foreseen(`Node ${oldestNode} or newer is needed; this is ${process.version}.`);
  }
}

/** Asks the compiler, not rustup: a toolchain from a distribution may have the target as well. */
async function hasTarget() {
  const { code, stdout } = await capture("rustc", ["--print", "target-libdir", "--target", target]);
  return code === 0 && existsSync(stdout.trim());
}

async function ensureTarget() {
  if (!findOnPath("cargo")) {
    throw new Foreseen("Rust is needed: install rustup, which brings cargo, then run this again.");
  }
  await unlessFresh(
    { stamp: "build/stamps/target", inputs: ["rust-toolchain.toml"], outputs: [] },
    async () => {
      if (await hasTarget()) return;
      await timed(`adding the Rust target ${target}`, () => run("rustup", ["target", "add", target]));
    },
  );
}

async function ensurePackages() {
  await unlessFresh(
    {
      // Inside node_modules, so that deleting the folder forgets the stamp too.
      stamp: "node_modules/.blockedby-stamp",
      inputs: ["package.json", "package-lock.json", ".npmrc"],
      outputs: [at("node_modules/esbuild"), at("node_modules/blockedby")],
    },
    () => timed("installing development tools (npm ci)", async () => {
      await run("npm", ["ci", "--no-audit", "--no-fund"]);
    }),
  );
}

async function ensureXtask() {
  await unlessFresh(
    {
      stamp: "build/stamps/xtask",
      inputs: ["xtask", "Cargo.lock", "rust-toolchain.toml"],
      outputs: [xtask],
    },
    () => timed("building xtask, the host-side helper (about two minutes the first time)", async () => {
      await run("cargo", ["build", "--package", "xtask"]);
    }),
  );
}

/** Brings the checkout to a state in which everything can be built. Skips what is up to date. */
export async function setup() {
  checkNode();
  process.chdir(root);
  await withLock(async () => {
    await ensureTarget();
    await ensurePackages();
    await ensureXtask();
  });
}
