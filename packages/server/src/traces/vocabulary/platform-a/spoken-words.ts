import type { StoredSpan } from "../../stored-span.ts";
import { listOf, structureOf } from "../attribute-values.ts";
import type { DraftOf, SpeechPeriod, TurnDraft } from "../vocabulary.ts";
import { KEY } from "./names.ts";

/** Words with at most this pause between them belong to one period of speech. */
const PAUSE_SECONDS = 1;
const LONGEST_SECONDS = 24 * 3600;

/** Returns the periods in which the words of a turn were spoken. Words without times do not count. */
export function speechPeriodsOf(span: StoredSpan, turn: TurnDraft, callStartNs: bigint): DraftOf<SpeechPeriod>[] {
  const periods: { start: number; end: number }[] = [];
  const times = listOf(structureOf(span.attributes[KEY.words])).map(timesOf);
  for (const { start, end } of times.filter((word) => word !== null).sort((a, b) => a.start - b.start)) {
    const last = periods.at(-1);
    if (last === undefined || start - last.end > PAUSE_SECONDS) periods.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  const atNs = (seconds: number) => callStartNs + BigInt(Math.round(seconds * 1e6)) * 1000n;
  return periods.map(({ start, end }) => ({
    startNs: atNs(start),
    endNs: atNs(end),
    turn,
    spanId: span.spanId,
  }));
}

function timesOf(word: unknown): { start: number; end: number } | null {
  const [, start, end] = listOf(word);
  return isTime(start) && isTime(end) && start <= end ? { start, end } : null;
}

const isTime = (seconds: unknown): seconds is number =>
  typeof seconds === "number" && seconds >= 0 && seconds <= LONGEST_SECONDS;
