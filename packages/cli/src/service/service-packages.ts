import { EXIT, Refusal } from "../refusal.ts";

/**
 * Throws a refusal when the packages of the service are not installed. They are missing after `npm install --omit=optional`, and
 * when npm could not compile better-sqlite3. With a lock file, npm tries to compile it although the package contains a compiled
 * library.
 */
export async function loadService<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const reason = "The packages that run the service are not installed.";
    throw new Refusal(
      "not_installed",
      `${reason} Install @svc/cli again with npm's options --include=optional --ignore-scripts.`,
      EXIT.refused,
    );
  }
}
