import { SvcError } from "@svc/sdk";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Offline } from "./offline.ts";

const ASK_MS = 10_000;

/** Returns when the newest answer in memory arrived; the present time without one. */
function newestAnswer(client: QueryClient): number {
  const answers = client.getQueryCache().getAll();
  return Math.max(0, ...answers.map(({ state }) => state.dataUpdatedAt)) || Date.now();
}

/** Follows whether the service answers: the last request decides. Asks again by itself while it does not. */
export function OfflineProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [since, setSince] = useState<number>();
  useEffect(() => {
    const lose = () => setSince((before) => before ?? newestAnswer(client));
    const stop = client.getQueryCache().subscribe((event) => {
      if (event.type !== "updated") return;
      const { action } = event;
      if (action.type === "success" && action.manual !== true) setSince(undefined);
      if (action.type === "failed" && action.error instanceof SvcError && action.error.status === 0) lose();
    });
    if (!navigator.onLine) lose();
    addEventListener("offline", lose);
    return () => {
      stop();
      removeEventListener("offline", lose);
    };
  }, [client]);
  useEffect(() => {
    if (since === undefined) return undefined;
    const ask = () => {
      // A page without requests cannot learn that the service answers again; its next request shows it.
      if (client.getQueryCache().findAll({ type: "active" }).length === 0) setSince(undefined);
      else void client.refetchQueries({ type: "active" }, { cancelRefetch: false });
    };
    const timer = setInterval(ask, ASK_MS);
    addEventListener("online", ask);
    return () => {
      clearInterval(timer);
      removeEventListener("online", ask);
    };
  }, [client, since]);
  return <Offline value={since}>{children}</Offline>;
}
