import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { usage } from "../refusal.ts";

/** Time without a change after which changes count as settled, because an editor may write a file in several steps. */
const SETTLED_AFTER_MS = 150;

/** Yields after each change, once the changes have settled. Ends when the signal aborts. */
export async function watchFolder(path: string, signal: AbortSignal): Promise<AsyncIterable<void>> {
  const isFolder = (await stat(path)).isDirectory();
  let hasChanged = false;
  let wake: (() => void) | undefined;
  let failure: Error | undefined;
  const note = () => {
    hasChanged = true;
    wake?.();
  };
  const watcher = watch(isFolder ? path : dirname(path), { recursive: isFolder }, note);
  watcher.on("error", (error: Error) => {
    failure = error;
    note();
  });
  signal.addEventListener("abort", note, { once: true });

  async function* changes(): AsyncGenerator<void> {
    try {
      while (!signal.aborted) {
        if (!hasChanged) await new Promise<void>((resolve) => (wake = resolve));
        while (hasChanged && !signal.aborted) {
          hasChanged = false;
          await delay(SETTLED_AFTER_MS, undefined, { signal }).catch(() => undefined);
        }
        if (failure && !signal.aborted) throw usage(`${path} cannot be watched: ${failure.message}.`);
        if (!signal.aborted) yield;
      }
    } finally {
      watcher.close();
    }
  }
  return changes();
}
