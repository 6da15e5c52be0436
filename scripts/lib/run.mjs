// Starting other programs.
import { spawn } from "node:child_process";
import path from "node:path";
import { accessSync, constants } from "node:fs";
import { Foreseen, say, seconds } from "./log.mjs";
import { root } from "./paths.mjs";

const heartbeatMs = 20_000;

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {Record<string, string>} [env] added to our own environment
 * @property {boolean} [quiet] no "still running" lines
 */

/**
 * Runs a program and keeps what it prints. A line every 20 seconds shows that it is still alive;
 * the whole text is only worth reading when something failed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, text: string, stdout: string }>}
 */
export function capture(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      // npm is a .cmd file on Windows, which only a shell can start.
      shell: process.platform === "win32" && command === "npm",
    });
    const start = performance.now();
    let text = "";
    let stdout = "";
    const heartbeat = options.quiet
      ? undefined
      : setInterval(() => {
          const last = text.trimEnd().split("\n").at(-1)?.trim().slice(0, 100) ?? "";
          say(`  ... ${seconds(performance.now() - start)}  ${last}`);
        }, heartbeatMs);
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    child.on("error", (error) => {
      clearInterval(heartbeat);
      reject(new Foreseen(`${command} could not be started: ${error.message}`));
    });
    child.on("close", (code, signal) => {
      clearInterval(heartbeat);
      if (signal) text += `\n(ended by ${signal})\n`;
      resolve({ code: code ?? 1, text, stdout });
    });
  });
}

/**
 * As {@link capture}, but a non-zero exit is an error that shows what was printed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>} standard output
 */
export async function run(command, args, options) {
  const { code, text, stdout } = await capture(command, args, options);
  if (code !== 0) {
    throw new Foreseen(`${text.trimEnd()}\n\n${command} ${args.join(" ")} failed (exit code ${code})`);
  }
  return stdout;
}

/**
 * The full path of a command, or nothing when it is not on the PATH.
 *
 * @param {string} name
 */
export function findOnPath(name) {
  const suffix = process.platform === "win32" ? ".exe" : "";
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    const file = path.join(folder, name + suffix);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not here; the next folder may have it.
    }
  }
  return undefined;
}
