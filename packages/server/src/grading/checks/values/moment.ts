import { en, type ParsedResult } from "chrono-node";
import { wordsOf } from "../../words/words.ts";

export type Moment = {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  /** Offset from UTC, in minutes. */
  offset?: number;
  /** True if the hour may be before or after noon. */
  halfDay?: boolean;
  /** True for a date like 09/06/2026: countries differ in the order of its day and month. */
  swappable?: boolean;
  /** True if the month and the day may not belong together. */
  isDoubtful?: boolean;
};

const MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?";
const LIKE_MOMENT = new RegExp(
  `\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[/.]\\d{1,2}[/.]\\d{2,4}|\\b${MONTH}\\b|\\d{1,2}:\\d{2}|\\d\\s*[ap]\\.?m\\b|\\bnoon\\b|\\bmidnight\\b`,
  "i",
);
const FILLERS = /\b(?:the|of|at|on|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|satur|sat|sun)(?:day)?\b|[\s,.]/gi;

/** Returns the date or time that is the whole text; undefined for any other text. */
export function momentOf(named: string): Moment | undefined {
  if (named.length > 60) return undefined;
  const text = inFigures(named);
  if (!LIKE_MOMENT.test(text)) return undefined;
  const [found, ...others] = momentsIn(text);
  if (found === undefined || others.length > 0) return undefined;
  const rest = text.slice(0, found.start) + text.slice(found.end);
  return rest.replace(FILLERS, "") === "" ? found.moment : undefined;
}

/**
 * Matches times such as "quarter to five". Without the word "minutes", only the numbers in this pattern are minutes: in "9 to 5", both
 * numbers are hours.
 */
const CLOCK =
  "(?:the\\s+|a\\s+)?(quarter|half|5|10|20|25|\\d{1,2}\\s+minutes)\\s+(past|to|after|before)\\s+(\\d{1,2}|noon|midnight)\\b(?!:)";

/** Matches hours and minutes without a colon before a part of the day, as in "4 45 in the afternoon" and "8 0 5 pm". */
const SPOKEN_TIME =
  /(?<![\d:.,]\s*)\b(1[0-2]|[1-9])\s+(?:([1-5]\d)|0\s+([1-9]))(?=\s*(?:[ap]\.?m\b|in\s+the\s+(?:morning|afternoon|evening)\b|at\s+night\b))/gi;

/**
 * Writes dates and times in figures: "June the ninth" becomes "June 9", "a quarter to five" becomes "4:45", and "four forty-five in the
 * afternoon" becomes "4:45 in the afternoon".
 */
export function inFigures(text: string): string {
  let figures = "";
  let from = 0;
  for (const { text: word, start, end, decimals } of wordsOf(text)) {
    const isNumber = /^\d+$/.test(word) && decimals !== true;
    if (start < from) continue;
    figures += text.slice(from, start) + (isNumber ? word : text.slice(start, end));
    from = end;
  }
  return (figures + text.slice(from))
    .replace(
      SPOKEN_TIME,
      (_, hour: string, minutes: string | undefined, lone: string) => `${hour}:${minutes ?? `0${lone}`}`,
    )
    .replace(new RegExp(`\\b(${MONTH})\\s+the\\s+(\\d{1,2})\\b`, "gi"), "$1 $2")
    .replace(new RegExp(`\\bthe\\s+(\\d{1,2})\\s+in\\s+(${MONTH})(?!\\w)`, "gi"), "$1 $2")
    .replace(new RegExp(CLOCK, "gi"), (whole, part: string, side: string, hour: string) => {
      const minutes = /^q/i.test(part) ? 15 : /^h/i.test(part) ? 30 : Number.parseInt(part, 10);
      const isBefore = /^(?:to|before)$/i.test(side);
      const at = /^\d/.test(hour) ? Number(hour) : 12;
      if (minutes > 59 || at > 24 || (minutes === 30 && isBefore)) return whole;
      const started = isBefore ? (at === 1 ? 12 : at - 1) : at;
      return `${started}:${String(isBefore ? 60 - minutes : minutes).padStart(2, "0")}`;
    });
}

/** Matches words that may follow a date. Before any other word, "June 9" may be a month and a number, as in "in June 9 guests". */
const AFTER_DATE =
  /^(?:\s*$|\s*[.,;:!?)\]"'“”’–—-]|\s+(?:at|on|from|in|to|until|till|through|for|is|was|are|will|and|or|then|with|please|right|it|as|your|the|we|you|i|okay|ok|works|this|next|of|a|an|that|if|so|by|before|after|around|about|would|should|sounds|correct|yes|no|noted|between|starting|morning|afternoon|evening|night|noon|midnight|\d))/i;

export function momentsIn(text: string): { moment: Moment; start: number; end: number }[] {
  return en.parse(text, new Date(0)).flatMap((result) => {
    const moment = knownParts(result);
    if (moment === undefined) return [];
    const end = result.index + result.text.length;
    const inTwoParts = /[a-z]\s*[,.:;!?–—-]+\s*\d/i.test(result.text.replace(/\b[a-z]{3,4}\.\s/gi, ""));
    const isDoubtful = moment.month !== undefined && (inTwoParts || !AFTER_DATE.test(text.slice(end)));
    return { moment: isDoubtful ? { ...moment, isDoubtful } : moment, start: result.index, end };
  });
}

function knownParts({ start, text, end }: ParsedResult): Moment | undefined {
  if (end != null) return undefined;
  const known = (part: "year" | "month" | "day" | "hour" | "minute" | "timezoneOffset") =>
    start.isCertain(part) ? (start.get(part) ?? undefined) : undefined;
  const [month, day, hour] = [known("month"), known("day"), known("hour")];
  if ((month === undefined || day === undefined) && hour === undefined) return undefined;
  const slashed = /^(\d{1,2})[/.](\d{1,2})(?:[/.]\d{2,4})?(?!\d)/.exec(text);
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

/** Returns whether a moment has all parts of the wanted moment with equal values; null if the two moments may be the same. */
export function sameMoment(wanted: Moment, actual: Moment): boolean | null {
  const instants = [instantOf(wanted), instantOf(actual)];
  if (instants[0] !== undefined && instants[1] !== undefined) return instants[0] === instants[1];
  const results = [sameDate(wanted, actual), sameTime(wanted, actual), actual.isDoubtful ? null : true];
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

/** Returns the minutes since 1970 of a moment. */
function instantOf({ year, month, day, hour, minute, offset, swappable }: Moment): number | undefined {
  if (year === undefined || month === undefined || hour === undefined || offset === undefined) return undefined;
  return swappable ? undefined : Date.UTC(year, month - 1, day, hour, minute) / 60_000 - offset;
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
