// A small static server for the loopback address: for `npm start` and for the browser tests.
import { createServer } from "node:http";
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";

/** What the site needs and no more. WebAssembly is compiled, so `wasm-unsafe-eval`; never `eval`. */
export const strictPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** @type {Record<string, string>} */
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

/**
 * @typedef {object} Site
 * @property {Record<string, string>} folders URL prefix (`/`, `/pkg/`) to folder; the longest wins
 * @property {Record<string, string>} [pages] URL path to text made up on the spot; goes first
 * @property {string} [policy] the Content-Security-Policy header
 */

/**
 * The file behind a URL path, or nothing. Never leaves its folder, by `..` or by a link.
 *
 * @param {Record<string, string>} folders
 * @param {string} urlPath
 */
async function locate(folders, urlPath) {
  const prefix = Object.keys(folders)
    .filter((candidate) => urlPath.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0];
  const folder = prefix === undefined ? undefined : folders[prefix];
  if (prefix === undefined || folder === undefined) return undefined;
  const rest = urlPath.slice(prefix.length);
  const file = rest === "" || rest.endsWith("/") ? `${rest}index.html` : rest;
  try {
    const base = await realpath(folder);
    const full = await realpath(path.join(base, file));
    return full.startsWith(base + path.sep) ? full : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps other sites from reaching us through a name that resolves to the loopback address. */
/** @param {string | undefined} host */
const isLoopback = (host) => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? "");

/**
 * @param {Site} site
 * @param {string} urlPath
 * @returns {Promise<{ body: string | Buffer, type: string } | undefined>}
 */
async function answer(site, urlPath) {
  const made = site.pages?.[urlPath];
  if (made !== undefined) {
    return { body: made, type: types[path.extname(urlPath)] ?? types[".html"] ?? "text/html" };
  }
  const file = await locate(site.folders, urlPath);
  if (file === undefined) return undefined;
  try {
    return { body: await readFile(file), type: types[path.extname(file)] ?? "application/octet-stream" };
  } catch {
    return undefined; // A folder, or gone since we looked.
  }
}

/**
 * @param {Site} site
 * @param {number} [port] 0 takes any free one
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function serve(site, port = 0) {
  const server = createServer(async (request, response) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Referrer-Policy", "no-referrer");
    if (site.policy !== undefined) response.setHeader("Content-Security-Policy", site.policy);
    if (!isLoopback(request.headers.host)) return void response.writeHead(403).end();
    if (request.method !== "GET" && request.method !== "HEAD") return void response.writeHead(405).end();
    let urlPath;
    try {
      urlPath = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    } catch {
      return void response.writeHead(400).end();
    }
    const found = await answer(site, urlPath);
    if (found === undefined) {
      return void response.writeHead(404, { "Content-Type": "text/plain" }).end("not found\n");
    }
    response.writeHead(200, { "Content-Type": found.type });
    response.end(request.method === "HEAD" ? undefined : found.body);
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
