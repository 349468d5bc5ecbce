import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { SvcError } from "@svc/sdk";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { WifiOff } from "lucide-react";
import { formatTimeOfDay } from "./format.ts";
import styles from "./offline.module.css";

const ASK_MS = 10_000;

/** Undefined while the service answers. Otherwise the time of the newest visible data, in milliseconds since 1970. */
export const Offline = createContext<number | undefined>(undefined);

export const useIsOffline = (): boolean => use(Offline) !== undefined;

function newestAnswer(client: QueryClient): number {
  const answers = client.getQueryCache().getAll();
  return Math.max(0, ...answers.map(({ state }) => state.dataUpdatedAt)) || Date.now();
}

/** While the service does not answer, repeats the active queries regularly. */
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
      // Without active queries, assumes that the service answers again. The next request corrects a wrong assumption.
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

export function OfflineBar() {
  const since = use(Offline);
  return (
    <div role="status">
      {since !== undefined && (
        <p className={styles["bar"]}>
          <WifiOff size={16} strokeWidth={1.75} aria-hidden />
          The service does not answer. The page shows data from {formatTimeOfDay(since)} and asks again by itself.
        </p>
      )}
    </div>
  );
}
