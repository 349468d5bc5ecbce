import { Outlet } from "@tanstack/react-router";
import type { ProjectChange } from "@svc/contract";
import { followChanges } from "@svc/sdk";
import { useEffect, useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "./place.ts";
import { spaced } from "./spaced.ts";

/**
 * Cached answers that a change makes stale. `answers` matches the first two parts of a query key after the organization and the
 * project, joined by a space. The page fetches these answers again at most once in `spaceMs`.
 */
type Stale = { answers: RegExp; spaceMs: number };

/**
 * While calls arrive, the newest rows are fetched again sooner than counts. An open page sends at most 20 requests a minute for
 * both together.
 */
const NEWEST: Stale = { answers: /^traces\.list newest/, spaceMs: 5_000 };
const NUMBERS: Stale = { answers: /^(traces\.list total|traces\.list overview|metrics\.)/, spaceMs: 30_000 };
const IMPORTS: Stale = { answers: /^monitoring\./, spaceMs: 10_000 };

const STALE = {
  conversations: [NEWEST, NUMBERS, IMPORTS],
  imports: [IMPORTS, NEWEST],
  reset: [{ answers: /^(traces\.list|metrics\.|monitoring\.)/, spaceMs: 1_000 }],
} satisfies Record<Exclude<ProjectChange["kind"], "ready">, Stale[]>;

export function ProjectShell() {
  useChanges();
  return <Outlet />;
}

/** Follows the stream of the project's changes while the page is visible, and fetches stale answers again. */
function useChanges(): void {
  const { client, organizationId, projectId } = usePlace();
  const isVisible = useIsVisible();
  useEffect(() => {
    if (!isVisible) return undefined;
    const stop = new AbortController();
    const refresh = (stale: RegExp) =>
      void queries.invalidateQueries({
        predicate: ({ queryKey: [organization, project, ...name] }) =>
          organization === organizationId &&
          project === projectId &&
          stale.test(name.slice(0, 2).map(String).join(" ")),
      });
    const refreshes = new Map(
      Object.values(STALE)
        .flat()
        .map((stale) => [stale, spaced(() => refresh(stale.answers), stale.spaceMs)] as const),
    );
    const follow = async () => {
      for await (const event of followChanges(client, { projectId, signal: stop.signal })) {
        if (event.kind !== "ready") for (const stale of STALE[event.kind]) refreshes.get(stale)!.run();
      }
    };
    // Without the stream, the intervals of the queries keep the pages up to date.
    follow().catch(() => undefined);
    return () => {
      stop.abort();
      for (const each of refreshes.values()) each.stop();
    };
  }, [client, organizationId, projectId, queries, isVisible]);
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const changed = () => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  return isVisible;
}
