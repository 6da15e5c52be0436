/**
 * What a browser test stands on: a Chromium, a server, pages that report their own mistakes.
 *
 * ```ts
 * const pages = await openPages({ pages: { "/": html`<script type="module" src="/t.js"></script>` } });
 * after(() => pages.close());
 * const page = await pages.open("/");
 * ```
 */
import assert from "node:assert/strict";
import path from "node:path";
import { build } from "esbuild";
import { chromium, type Browser, type Page } from "playwright-core";
import { findBrowser } from "../../scripts/lib/browser.mjs";
import { serve, strictPolicy } from "../../scripts/lib/serve.mjs";

export { strictPolicy };

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The built package, and the folder of the repository. Tests run from the root. */
export const dist: string = path.resolve("pkg/dist");

/** Starts Chromium. `npm test` made sure that there is one. */
export async function launch(): Promise<Browser> {
  const { chromium: executablePath } = findBrowser();
  assert.ok(executablePath, "no Chromium was found; `npm test` says how to get one");
  return chromium.launch({ executablePath, args: flags });
}

/** Bundles a script for a page, as a user's bundler would. Accepts TypeScript text. */
export async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, loader: "ts", resolveDir: path.resolve("tests/browser") },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  const text = outputFiles[0]?.text;
  assert.ok(text !== undefined);
  return text;
}

/** Pages of one browser and one server, with the package at `/pkg/`. */
export interface Pages {
  readonly url: string;
  readonly browser: Browser;
  /**
   * Opens a page. Every error that the page does not handle, and every line that it writes to
   * `console.error`, is added to `mistakes`.
   */
  open(urlPath: string): Promise<Page & { readonly mistakes: string[] }>;
  close(): Promise<void>;
}

/** What to serve beside `/pkg/`; see `scripts/lib/serve.mjs`. */
export interface PagesOptions {
  readonly folders?: Record<string, string>;
  /** Text by URL path: pages and scripts made up in the test. */
  readonly pages?: Record<string, string>;
  /** Default: the strict policy of the site. */
  readonly policy?: string;
}

/** Starts a server and a browser; end both with `close()`. */
export async function openPages(options: PagesOptions = {}): Promise<Pages> {
  const server = await serve({
    folders: { "/pkg/": dist, ...options.folders },
    // Chromium asks for an icon by itself and would report its absence as a mistake of the page.
    pages: { "/favicon.ico": "", ...options.pages },
    policy: options.policy ?? strictPolicy,
  });
  const browser = await launch();
  return {
    url: server.url,
    browser,
    async open(urlPath) {
      const page = Object.assign(await browser.newPage(), { mistakes: [] as string[] });
      page.on("pageerror", (error) => page.mistakes.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") page.mistakes.push(message.text());
      });
      await page.goto(new URL(urlPath, server.url).href);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Waits for a page to write its outcome into `<output>`, which is how our test pages speak. */
export async function outputOf(page: Page & { readonly mistakes: string[] }): Promise<string> {
  const output = page.locator("output:not(:empty)");
  try {
    await output.waitFor({ timeout: 20_000 });
  } catch (cause) {
    throw new Error(`the page said nothing; its mistakes: ${page.mistakes.join("\n") || "none"}`, { cause });
  }
  return (await output.textContent()) ?? "";
}

/** A page that runs one module. */
export const pageFor = (script: string): string =>
  `<!doctype html><html lang="en"><title>test</title><output></output><script type="module" src="${script}"></script></html>`;
