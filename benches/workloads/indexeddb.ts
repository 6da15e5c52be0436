import { existsSync } from "node:fs";
import { join } from "node:path";
import { median } from "../support/measure.js";

/** What one awaited change costs on a list of `n` tasks. */
export interface IndexedDbUse {
  readonly n: number;
  readonly ms: number;
  readonly lowest: number;
}

const SIZES = [100, 10_000];
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const PAGE = "https://bench.test/";

/** Runs `browser/indexeddb-page.ts` in headless Chromium. */
export async function measureIndexedDb(): Promise<IndexedDbUse[]> {
  const executablePath = process.env["CHROMIUM"] ?? BROWSERS.find(existsSync);
  if (executablePath === undefined) throw new Error("No Chromium: install Debian's `chromium`, or name one in CHROMIUM.");
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(process.cwd(), "benches", "browser", "indexeddb-page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["node:*"],
    logLevel: "error",
  });
  const script = outputFiles[0]!.text;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    // An origin of its own, without a server; isolated, as only then the clock is finer than 0.1 ms.
    const headers = {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    await page.route(`${PAGE}**`, (route) => {
      const isScript = route.request().url().endsWith(".js");
      return route.fulfill(
        isScript
          ? { contentType: "text/javascript", headers, body: script }
          : { contentType: "text/html", headers, body: `<!doctype html><script type="module" src="/page.js"></script>` },
      );
    });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(PAGE);
    await page.waitForFunction("globalThis.runBench !== undefined", undefined, { timeout: 10_000 }).catch((cause: unknown) => {
      throw new Error(`the page did not start: ${problems.join("; ")}`, { cause });
    });
    const times = (await page.evaluate(`runBench(${JSON.stringify(SIZES)})`)) as number[][];
    return SIZES.map((n, i) => ({ n, ms: median(times[i]!), lowest: Math.min(...times[i]!) }));
  } finally {
    await browser.close();
  }
}
