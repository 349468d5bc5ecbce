import { useEffect } from "react";
import { clientOf } from "../client.ts";

const KEY = "svc.loadedAgainAtMs";
const PAUSE_MS = 60_000;
const ASK_MS = 3_000;

const NOT_LOADED =
  "This page could not be loaded, because the service does not answer or was updated. It loads by itself when the service answers.";

/**
 * Replaces the error of a chunk that could not be loaded by a message for people. Otherwise the router would reload the page at
 * once. While the service is down, such a reload would show an error page of the browser.
 */
export function nameMissingParts(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    payload.message = NOT_LOADED;
  });
}

export const isMissingPart = (error: unknown): boolean => error instanceof Error && error.message === NOT_LOADED;

/** If a chunk is missing, reloads the page as soon as the service answers. Reloads at most once a minute. */
export function useLoadAgain(isMissing: boolean): void {
  useEffect(() => {
    if (!isMissing) return undefined;
    const ask = async () => {
      if (Date.now() - Number(sessionStorage.getItem(KEY)) < PAUSE_MS) return;
      const answer = await clientOf()
        .instance.get()
        .catch(() => undefined);
      if (answer === undefined || hasLeft) return;
      sessionStorage.setItem(KEY, String(Date.now()));
      location.reload();
    };
    let hasLeft = false;
    void ask();
    const timer = setInterval(() => void ask(), ASK_MS);
    return () => {
      hasLeft = true;
      clearInterval(timer);
    };
  }, [isMissing]);
}
