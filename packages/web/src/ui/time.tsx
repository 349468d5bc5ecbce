import { useEffect, useState } from "react";
import { formatAgo, formatClock, formatDateTime, formatMoment, formatUtc, UNKNOWN } from "./format.ts";

const REFRESH_MS = 30_000;
const SECOND_MS = 1_000;

function useNow(everyMs: number | null): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (everyMs === null) return undefined;
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function Time({ at, absolute = false }: { at: string | null | undefined; absolute?: boolean }) {
  const now = useNow(absolute ? null : REFRESH_MS);
  if (!at) return <>{UNKNOWN}</>;
  return (
    <time dateTime={at} title={`${formatDateTime(at)} · ${formatUtc(at)}`}>
      {absolute ? formatMoment(at, now) : formatAgo(at, now)}
    </time>
  );
}

/** Time since a moment, such as `0:41`, which goes on. The clock of the browser may be behind that of the service. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(SECOND_MS);
  return <span role="timer">{formatClock(Math.max(0, now.getTime() - Date.parse(since)))}</span>;
}
