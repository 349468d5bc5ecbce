import { useEffect } from "react";
import { clientOf } from "../client.ts";

const KEY = "svc.loadedAgainAtMs";
const PAUSE_MS = 60_000;
const ASK_MS = 3_000;

const NOT_LOADED =
  "This page could not be loaded, because the service does not answer or was updated. It loads by itself when the service answers.";

/**
 * Gives the error of a part of the pages that could not be loaded words for a person. The router would load the page again at
 * once, which leaves the app when the service is down.
 */
export function nameMissingParts(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    payload.message = NOT_LOADED;
  });
}

/** Returns whether a part of the pages could not be loaded. */
export const isMissingPart = (error: unknown): boolean => error instanceof Error && error.message === NOT_LOADED;

/** Loads the page again as soon as the service answers, when a part of it is missing; at most once a minute. */
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
