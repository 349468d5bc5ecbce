import { en, type ParsedResult } from "chrono-node";

/** The known parts of a date, a time or both. */
export type Moment = {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  /** Minutes from UTC. */
  offset?: number;
  /** True when the hour may be before or after noon. */
  halfDay?: boolean;
  /** True for 09/06/2026, which is another day in another country. */
  swappable?: boolean;
};

const MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?";
const LIKE_MOMENT = new RegExp(
  `\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}|\\b${MONTH}\\b|\\d{1,2}:\\d{2}|\\d\\s*[ap]\\.?m\\b|\\bnoon\\b|\\bmidnight\\b`,
  "i",
);
const FILLERS = /\b(?:the|of|at|on|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|satur|sat|sun)(?:day)?\b|[\s,.]/gi;

/** Returns the date or time that a whole text names; undefined for any other text. */
export function momentOf(text: string): Moment | undefined {
  if (text.length > 60 || !LIKE_MOMENT.test(text)) return undefined;
  const [found, ...others] = momentsIn(text);
  if (found === undefined || others.length > 0) return undefined;
  const rest = text.slice(0, found.start) + text.slice(found.end);
  return rest.replace(FILLERS, "") === "" ? found.moment : undefined;
}

/** Returns the dates and times that a text mentions, with their positions. */
export function momentsIn(text: string): { moment: Moment; start: number; end: number }[] {
  return en.parse(text, new Date(0)).flatMap((result) => {
    const moment = knownParts(result);
    return moment === undefined ? [] : { moment, start: result.index, end: result.index + result.text.length };
  });
}

function knownParts({ start, text, end }: ParsedResult): Moment | undefined {
  if (end != null) return undefined;
  const known = (part: "year" | "month" | "day" | "hour" | "minute" | "timezoneOffset") =>
    start.isCertain(part) ? (start.get(part) ?? undefined) : undefined;
  const [month, day, hour] = [known("month"), known("day"), known("hour")];
  if ((month === undefined || day === undefined) && hour === undefined) return undefined;
  const slashed = /^(\d{1,2})[/.](\d{1,2})[/.]\d{2,4}/.exec(text);
  const swappable =
    slashed !== null && Number(slashed[1]) <= 12 && Number(slashed[2]) <= 12 && slashed[1] !== slashed[2];
  const halfDay =
    hour !== undefined && hour >= 1 && hour <= 12 && !/[ap]\.?m|noon|midnight|\d:\d{2}:|\b0\d:|T\d/i.test(text);
  return {
    ...(known("year") !== undefined && { year: known("year")! }),
    ...(month !== undefined && day !== undefined && { month, day }),
    ...(hour !== undefined && { hour, minute: known("minute") ?? 0 }),
    ...(known("timezoneOffset") !== undefined && { offset: known("timezoneOffset")! }),
    ...(swappable && { swappable }),
    ...(halfDay && { halfDay }),
  };
}

/** Returns whether a moment is the wanted one in all wanted parts; null when the two may be the same. */
export function sameMoment(wanted: Moment, actual: Moment): boolean | null {
  const results = [sameDate(wanted, actual), sameTime(wanted, actual)];
  if (results.includes(false)) return false;
  return results.includes(null) ? null : true;
}

function sameDate(wanted: Moment, actual: Moment): boolean | null {
  if (wanted.month === undefined) return true;
  if (actual.month === undefined) return null;
  const doubt = wanted.swappable || actual.swappable ? null : false;
  if (wanted.month !== actual.month || wanted.day !== actual.day) {
    if (doubt === null && wanted.month === actual.day && wanted.day === actual.month) return null;
    return actual.offset === 0 && Math.abs(dayOf(wanted) - dayOf(actual)) <= 1 ? null : false;
  }
  if (doubt === null) return null;
  if (wanted.year === undefined || actual.year === undefined) return wanted.year === undefined ? true : null;
  return wanted.year === actual.year;
}

const dayOf = ({ year = 1970, month, day }: Moment) => Date.UTC(year, month! - 1, day) / 86_400_000;

function sameTime(wanted: Moment, actual: Moment): boolean | null {
  if (wanted.hour === undefined) return true;
  if (actual.hour === undefined) return null;
  if (wanted.minute !== actual.minute) return false;
  if ((wanted.offset === undefined) !== (actual.offset === undefined)) return null;
  const isAround = wanted.halfDay === true || actual.halfDay === true;
  if (wanted.hour === actual.hour && wanted.offset === actual.offset)
    return isAround && !(wanted.halfDay && actual.halfDay) ? null : true;
  if (wanted.offset !== actual.offset) return null;
  return isAround && wanted.hour % 12 === actual.hour % 12 ? null : false;
}
