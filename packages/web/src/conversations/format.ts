import { formatDay } from "../ui/format.ts";

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY_MS = 86_400_000;

/** Returns a date and time in the reader's zone, such as `Today 05:55` and `15 Nov 05:55`. */
export function formatMoment(time: string, now = new Date()): string {
  const date = new Date(time);
  const day = date.toDateString();
  const clock = CLOCK.format(date);
  if (day === now.toDateString()) return `Today ${clock}`;
  if (day === new Date(now.getTime() - DAY_MS).toDateString()) return `Yesterday ${clock}`;
  return `${formatDay(date, now)} ${clock}`;
}
