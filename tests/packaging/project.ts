/** An empty project with the packed tarball installed: what a user has after `npm install`. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const npm = { shell: process.platform === "win32" };

/** Inside `build/`, which is no part of any package, so nothing of the repository is found by chance. */
const workshop = path.resolve("build/packaging");

/** Packs `pkg/` and gives the tarball's path. */
export async function pack(): Promise<string> {
  mkdirSync(workshop, { recursive: true });
  const folder = mkdtempSync(path.join(workshop, "tarball-"));
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: path.resolve("pkg"),
    ...npm,
  });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (packed === undefined) throw new Error("npm pack made nothing");
  return path.join(folder, packed.filename);
}

/** A throw-away project that has the package installed. */
export interface Project {
  readonly folder: string;
  /** The installed package's folder. */
  readonly installed: string;
  /** Runs Node in the project and gives what it printed. */
  node(...args: string[]): Promise<string>;
  remove(): void;
}

/** Makes a project that holds the case files of `tests/packaging/cases`. */
export async function makeProject(): Promise<Project> {
  const tarball = await pack();
  const folder = mkdtempSync(path.join(workshop, "project-"));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "a-user", private: true }));
  cpSync(path.resolve("tests/packaging/cases"), folder, { recursive: true });
  // Offline: the package has no dependencies, and this proves it.
  await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: folder, ...npm });
  return {
    folder,
    installed: path.join(folder, "node_modules/blockedby"),
    async node(...args) {
      // Without the flags that the test runner itself was started with.
      const env = { ...process.env };
      delete env["NODE_OPTIONS"];
      delete env["NODE_TEST_CONTEXT"];
      const { stdout } = await execute(process.execPath, args, { cwd: folder, env });
      return stdout.trim();
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
      rmSync(path.dirname(tarball), { recursive: true, force: true });
    },
  };
}

/** The published manifest. */
export const manifest = JSON.parse(readFileSync("pkg/package.json", "utf8")) as {
  readonly exports: Record<string, unknown>;
  readonly dependencies?: Record<string, string>;
};
