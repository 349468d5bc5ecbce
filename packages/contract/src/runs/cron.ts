import { LIMITS } from "../core/limits.ts";

/** Minutes, hours, days and months at which a cron expression is due, each in ascending order. Days of the week: 0 (Sunday) to 6. */
export type Cron = { minutes: number[]; hours: number[]; days: number[]; months: number[]; weekdays: number[] };

type Field = { noun: string; min: number; max: number; names: readonly string[]; example: string };

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const FIELDS: readonly Field[] = [
  { noun: "minute", min: 0, max: 59, names: [], example: "0 to 59" },
  { noun: "hour", min: 0, max: 23, names: [], example: "0 to 23" },
  { noun: "day of the month", min: 1, max: 31, names: [], example: "1 to 31" },
  { noun: "month", min: 1, max: 12, names: MONTHS, example: "1 to 12, or JAN to DEC" },
  { noun: "day of the week", min: 0, max: 7, names: WEEKDAYS, example: "0 to 7 (0 and 7 are Sunday), or SUN to SAT" },
];

const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Parses a cron expression with five fields: minute, hour, day of the month, month, day of the week. Returns a `problem`, a sentence
 * with the fix, for an expression that is invalid or never due.
 */
export function readCron(expression: string): { cron: Cron } | { problem: string } {
  if (expression.length > LIMITS.cronCharacters)
    return { problem: `Write at most ${LIMITS.cronCharacters} characters.` };
  const texts = expression.trim().split(/[ \t]+/);
  if (texts.length !== FIELDS.length) {
    const count = expression.trim() === "" ? 0 : texts.length;
    return {
      problem: `Write five fields: minute, hour, day of the month, month, day of the week, such as 0 6 * * 1-5. This has ${count}.`,
    };
  }
  const sets: number[][] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = readField(texts[index]!, field);
    if (typeof values === "string") return { problem: values };
    sets.push(values);
  }
  const [minutes, hours, days, months, weekdays] = sets as [number[], number[], number[], number[], number[]];
  const cron = { minutes, hours, days, months, weekdays: sorted(weekdays.map((day) => day % 7)) };
  const everComes = !isRestricted(cron).days || isRestricted(cron).weekdays || hasDate(cron);
  return everComes ? { cron } : { problem: "This date never comes: the months have no such day." };
}

/**
 * Returns whether an expression excludes some days of the month, and whether it excludes some days of the week. When it excludes
 * both, it is due on a day that matches either field.
 */
export const isRestricted = ({ days, weekdays }: Cron) => ({ days: days.length < 31, weekdays: weekdays.length < 7 });

const hasDate = ({ days, months }: Cron) => months.some((month) => days[0]! <= LENGTHS[month - 1]!);

const sorted = (values: number[]): number[] => [...new Set(values)].sort((one, other) => one - other);

/** Returns the values of a field in ascending order; for an invalid field, a sentence with the fix. */
function readField(text: string, field: Field): number[] | string {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const range = readItem(item, field);
    if (typeof range === "string") return range;
    for (let value = range.from; value <= range.to; value += range.step) values.push(value);
  }
  return sorted(values);
}

function readItem(item: string, field: Field): { from: number; to: number; step: number } | string {
  const { noun, min, max, example } = field;
  const [, first, last, stepText] = /^(\*|\w{1,3})(?:-(\w{1,3}))?(?:\/(\d{1,3}))?$/.exec(item) ?? [];
  const wrong = `"${item}" is no ${noun}. Write ${example}, or *, a range such as 1-5, a step such as */5, or a list such as 1,5.`;
  if (first === undefined || (first === "*" && last !== undefined)) return wrong;
  const from = first === "*" ? min : valueOf(first, field);
  const to = first === "*" ? max - (max === 7 ? 1 : 0) : last === undefined ? from : valueOf(last, field);
  if (from === undefined || to === undefined) return wrong;
  if (to < from) return `"${item}" runs backwards. Write the earlier ${noun} first, or a list of both parts.`;
  if (stepText === undefined) return { from, to, step: 1 };
  if (first !== "*" && last === undefined)
    return `"${item}" is a step without a range. Write */${stepText} or ${first}-${max}/${stepText}.`;
  const step = Number(stepText);
  return step >= 1 ? { from, to, step } : `"${item}" has no step. Write a step of 1 or more.`;
}

function valueOf(text: string, { min, max, names }: Field): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return named + min;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}
