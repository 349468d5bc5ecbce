import { WifiOff } from "lucide-react";
import { use } from "react";
import { formatTimeOfDay } from "./format.ts";
import { Offline } from "./offline.ts";
import styles from "./offline-bar.module.css";

/** Says that the service does not answer, and from when the shown data are. */
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
