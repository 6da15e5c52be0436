// Finding the browser that the tests drive, and installing it where that needs no person.
import { findOnPath, run } from "./run.mjs";
import { say, timed } from "./log.mjs";

const chromiumNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** @returns {{ chromium: string | undefined, driver: string | undefined }} */
export function findBrowser() {
  const chromium = chromiumNames.map(findOnPath).find((file) => file !== undefined);
  return {
    chromium: process.env["BLOCKEDBY_CHROMIUM"] ?? chromium,
    driver: process.env["CHROMEDRIVER"] ?? findOnPath("chromedriver"),
  };
}

const advice = `No browser for the tests was found. Install Chromium and its driver:
  Debian, as root:  apt-get update && apt-get install chromium chromium-driver
  elsewhere:        any Chromium or Chrome with the matching chromedriver on the PATH,
                    or name them in BLOCKEDBY_CHROMIUM and CHROMEDRIVER.`;

/** Root on a Debian-like system: installing two packages surprises nobody, least of all in CI. */
async function install() {
  if (process.getuid?.() !== 0 || findOnPath("apt-get") === undefined) return;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await timed("installing Chromium for the browser tests", async () => {
    await run("apt-get", ["update", "-qq"], { env });
    await run("apt-get", ["install", "-y", "-qq", "chromium", "chromium-driver"], { env });
  }).catch((error) => say(String(error.message)));
}

/**
 * The browser and its driver, or the reason why there is none.
 *
 * @returns {Promise<{ chromium: string, driver: string } | { missing: string }>}
 */
export async function ensureBrowser() {
  let found = findBrowser();
  if (found.chromium === undefined || found.driver === undefined) {
    await install();
    found = findBrowser();
  }
  const { chromium, driver } = found;
  return chromium !== undefined && driver !== undefined ? { chromium, driver } : { missing: advice };
}
