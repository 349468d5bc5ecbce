import { Outlet } from "@tanstack/react-router";
import type { ProjectChange } from "@svc/contract";
import { followChanges } from "@svc/sdk";
import { useEffect, useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "./place.ts";
import { spaced } from "./spaced.ts";

/** Answers that a change makes stale, by the first words of their query keys after the organization and the project. */
type Stale = { answers: RegExp; spaceMs: number };

/** While calls arrive, rows are asked for soon and numbers less often, so that an open page asks at most 20 times a minute. */
const NEWEST: Stale = { answers: /^traces\.list newest/, spaceMs: 5_000 };
const NUMBERS: Stale = { answers: /^(traces\.list total|traces\.list overview|metrics\.)/, spaceMs: 30_000 };
const IMPORTS: Stale = { answers: /^monitoring\./, spaceMs: 10_000 };

const STALE = {
  conversations: [NEWEST, NUMBERS, IMPORTS],
  imports: [IMPORTS, NEWEST],
  reset: [{ answers: /^(traces\.list|metrics\.|monitoring\.)/, spaceMs: 1_000 }],
} satisfies Record<Exclude<ProjectChange["kind"], "ready">, Stale[]>;

/** The pages of one project; they follow its changes. */
export function ProjectShell() {
  useChanges();
  return <Outlet />;
}

/** Follows the changes of the shown project while the page is seen, and has the shown answers asked for again. */
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
    // Without the stream the pages still ask by their intervals.
    follow().catch(() => undefined);
    return () => {
      stop.abort();
      for (const each of refreshes.values()) each.stop();
    };
  }, [client, organizationId, projectId, queries, isVisible]);
}

/** Returns whether the person sees the page: false in a hidden tab. */
function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const changed = () => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  return isVisible;
}
