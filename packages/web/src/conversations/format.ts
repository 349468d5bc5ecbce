const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const DATE_AND_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const COUNT = new Intl.NumberFormat("en");

/** Returns a duration as text with three digits, such as `959 ms`, `1.03 s` and `2 min 7 s`. */
export function durationText(ms: number): string {
  const [sign, size] = ms < 0 ? ["−", -ms] : ["", ms];
  if (size < 0.5) return `${sign}0 ms`;
  if (Math.round(size) < 1_000) return `${sign}${Math.round(size)} ms`;
  const seconds = size / 1_000;
  if (seconds < 9.995) return `${sign}${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${sign}${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${sign}${hours} h ${minutes} min` : `${sign}${minutes} min ${rest} s`;
}

/** Returns a date and time in the viewer's zone, such as `Today 05:55` and `15 Nov 05:55`. */
export function momentText(time: string, now = new Date()): string {
  const date = new Date(time);
  const day = dayOf(date);
  const clock = TIME.format(date);
  if (day === dayOf(now)) return `Today ${clock}`;
  if (day === dayOf(new Date(now.getTime() - 86_400_000))) return `Yesterday ${clock}`;
  return `${(date.getFullYear() === now.getFullYear() ? DATE : DATE_AND_YEAR).format(date)} ${clock}`;
}

const dayOf = (date: Date): string => `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;

/** Returns a date and time in UTC, for the tooltip of a local time. */
export const utcText = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** Returns a whole number with separators. */
export const countText = (count: number): string => COUNT.format(count);

/** Returns a count with its noun, such as `1 span` and `3 spans`. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`;
