import { useEffect, useState } from "react";
import { formatAgo, formatDateTime, formatMoment, formatUtc, UNKNOWN } from "./format.ts";

const REFRESH_MS = 30_000;

function useNow(moves: boolean): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (!moves) return undefined;
    const timer = setInterval(() => setNow(new Date()), REFRESH_MS);
    return () => clearInterval(timer);
  }, [moves]);
  return now;
}

export function Time({ at, absolute = false }: { at: string | null | undefined; absolute?: boolean }) {
  const now = useNow(!absolute);
  if (!at) return <>{UNKNOWN}</>;
  return (
    <time dateTime={at} title={`${formatDateTime(at)} · ${formatUtc(at)}`}>
      {absolute ? formatMoment(at, now) : formatAgo(at, now)}
    </time>
  );
}
