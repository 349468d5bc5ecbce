import { useEffect, useState } from "react";
import { formatAgo, formatDateTime, formatMoment, formatUtc, UNKNOWN } from "./format.ts";

const REFRESH_MS = 30_000;

/** Returns the present time, which is updated while the component is shown. */
function useNow(moves: boolean): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (!moves) return undefined;
    const timer = setInterval(() => setNow(new Date()), REFRESH_MS);
    return () => clearInterval(timer);
  }, [moves]);
  return now;
}

/** A time in the reader's time zone, relative to now or `absolute`. Shows UTC on hover. */
export function Time({ at, absolute = false }: { at: string | null | undefined; absolute?: boolean }) {
  const now = useNow(!absolute);
  if (!at) return <>{UNKNOWN}</>;
  return (
    <time dateTime={at} title={`${formatDateTime(at)} · ${formatUtc(at)}`}>
      {absolute ? formatMoment(at, now) : formatAgo(at, now)}
    </time>
  );
}
