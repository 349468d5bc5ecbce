import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FLAGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-quic",
  "--disable-sync",
];

/** This message says how to get a browser for the specs of the pages. */
export const NO_CHROMIUM =
  "no Chromium was found: install Debian's package `chromium`, or set CHROME_PATH to a Chromium or Chrome";

/** Returns the path of a Chromium: that of `CHROME_PATH`, or else the installed one. Returns undefined if there is none. */
export function chromiumPath(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const candidates = [process.env["CHROME_PATH"], ...NAMES.flatMap((name) => folders.map((at) => join(at, name)))];
  return candidates.find((path) => path !== undefined && path !== "" && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a Chromium without a window. Throws when the machine has no Chromium. */
export async function openChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath, args: FLAGS });
}
