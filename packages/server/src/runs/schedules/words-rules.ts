import { type Cron, isRestricted } from "@svc/contract";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** Largest number of times of a day that are listed. For more times, a sentence about minutes and hours is shorter. */
const TIMES_NAMED = 6;

/** Returns the due times of a cron expression in words, such as "At 06:00 from Monday to Friday". */
export function wordsOf(cron: Cron): string {
  return [timesOf(cron), monthsOf(cron.months), daysOf(cron)].filter((part) => part !== "").join(" ");
}

function timesOf({ minutes, hours }: Cron): string {
  const everyHours = stepOf(hours, 24);
  if (everyHours !== undefined && everyHours > 1 && everyHours < 12 && minutes.length === 1)
    return `Every ${everyHours} hours, at ${hours
      .slice(0, 2)
      .map((hour) => `${two(hour)}:${two(minutes[0]!)}`)
      .join(", ")} and so on,`;
  const isEveryHour = hours.length === 24;
  if (!isEveryHour && minutes.length * hours.length <= TIMES_NAMED) {
    const times = hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}`));
    return `At ${listed(times)}`;
  }
  const often = oftenOf(minutes);
  return isEveryHour ? often : `${often} ${hoursOf(hours)}`;
}

function oftenOf(minutes: readonly number[]): string {
  if (minutes.length === 60) return "Every minute";
  if (minutes.length === 1) return minutes[0] === 0 ? "Every hour on the hour" : `Every hour at minute ${minutes[0]}`;
  const step = stepOf(minutes, 60);
  return step !== undefined ? `Every ${step} minutes` : `Every hour at the minutes ${ranged(minutes, String)}`;
}

function stepOf(values: readonly number[], whole: number): number | undefined {
  const step = whole / values.length;
  return Number.isInteger(step) && values.every((value, index) => value === index * step) ? step : undefined;
}

/** Returns the hours in words. A range ends with the last minute of its last hour. */
function hoursOf(hours: readonly number[]): string {
  const [first, last] = [hours[0]!, hours.at(-1)!];
  if (hours.length > 1 && last - first === hours.length - 1) return `from ${two(first)}:00 to ${two(last)}:59`;
  return hours.length === 1
    ? `from ${two(first)}:00 to ${two(first)}:59`
    : `in the hours of ${listed(hours.map((hour) => `${two(hour)}:00`))}`;
}

function daysOf(cron: Cron): string {
  const { days, weekdays } = cron;
  const restricted = isRestricted(cron);
  if (!restricted.days && !restricted.weekdays) return cron.hours.length === 24 ? "" : "every day";
  const dates = days.length === 1 ? `day ${days[0]}` : `the days ${ranged(days, String)}`;
  // People name Monday as the first day of the week.
  const week = weekdays.map((day) => (day + 6) % 7).sort((one, other) => one - other);
  const named = ranged(week, (day) => WEEKDAYS[(day + 1) % 7]!);
  const onWeekdays = /^\w+ to \w+$/.test(named) ? `from ${named}` : `on ${named}`;
  if (!restricted.days) return onWeekdays;
  return restricted.weekdays ? `on ${dates} of the month and also ${onWeekdays}` : `on ${dates} of the month`;
}

function monthsOf(months: readonly number[]): string {
  if (months.length === 12) return "";
  const named = ranged(months, (month) => MONTHS[month - 1]!);
  return /^\w+ to \w+$/.test(named) ? `from ${named}` : `in ${named}`;
}

function ranged(values: readonly number[], nameOf: (value: number) => string): string {
  const parts: string[] = [];
  for (let from = 0; from < values.length;) {
    let to = from;
    while (values[to + 1] === values[to]! + 1) to++;
    if (to - from >= 2) parts.push(`${nameOf(values[from]!)} to ${nameOf(values[to]!)}`);
    else for (let at = from; at <= to; at++) parts.push(nameOf(values[at]!));
    from = to + 1;
  }
  return listed(parts);
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

const two = (value: number): string => String(value).padStart(2, "0");
