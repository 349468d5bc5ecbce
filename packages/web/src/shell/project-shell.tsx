import { Outlet } from "@tanstack/react-router";
import type { ProjectChange } from "@svc/contract";
import { followChanges } from "@svc/sdk";
import { useEffect, useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "./place.ts";

/** The answers that a change makes stale: the first words of query keys after the organization and the project. */
const STALE = {
  conversations: /^(traces\.list newest|traces\.list total|traces\.list overview|metrics\.)/,
  imports: /^(monitoring\.|traces\.list newest)/,
  reset: /^(traces\.list|metrics\.|monitoring\.)/,
} satisfies Record<Exclude<ProjectChange["kind"], "ready">, RegExp>;

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
      queries.invalidateQueries({
        predicate: ({ queryKey: [organization, project, ...name] }) =>
          organization === organizationId &&
          project === projectId &&
          stale.test(name.slice(0, 2).map(String).join(" ")),
      });
    const follow = async () => {
      for await (const event of followChanges(client, { projectId, signal: stop.signal })) {
        if (event.kind !== "ready") void refresh(STALE[event.kind]);
      }
    };
    // Without the stream the pages still ask by their intervals.
    follow().catch(() => undefined);
    return () => stop.abort();
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
