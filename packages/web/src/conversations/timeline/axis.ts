import type { Trace } from "@svc/contract";

/**
 * Axes of the timeline. `call` shows the time since the start of the call; `answer` shows, for each answer, the time since the caller's
 * last word.
 */
export const AXES = ["call", "answer"] as const;

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000,
];

const LINES_MAX = 16;
const LABELS_MAX = 6;

/** The possible numbers of grid lines for each label. */
const LINES_BY_LABEL = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20];

/** Shortest range to which the axis can be zoomed, in milliseconds. */
const SHORTEST_MS = 20;

/** Initial range of the answer axis. A slower answer makes it longer. */
const ANSWER_RANGE: Interval = { fromMs: -1_000, untilMs: 2_500 };

export type Axis = (typeof AXES)[number];

/** Offsets and steps are shares of the axis's width. */
export type Ticks = { lineStep: number; lineOffset: number; labels: { at: number; text: string }[] };

const stepOf = (lengthMs: number, count: number): number =>
  STEPS_MS.find((step) => lengthMs / step <= count) ?? Math.ceil(lengthMs / count / 28_800_000) * 28_800_000;

/** The range ends at the first grid line after the end of the call. */
export function callRange(endMs: number): Interval {
  const length = Math.max(endMs, 10);
  const step = stepOf(length, LINES_MAX - 1);
  return { fromMs: 0, untilMs: Math.ceil(length / step) * step };
}

export function answerRange(slowestMs: number): Interval {
  const { fromMs, untilMs } = ANSWER_RANGE;
  return { fromMs, untilMs: slowestMs <= untilMs - 250 ? untilMs : Math.ceil((slowestMs * 1.25) / 500) * 500 };
}

export function ticksOf({ fromMs, untilMs }: Interval, axis: Axis): Ticks {
  const length = untilMs - fromMs;
  const step = stepOf(length, LINES_MAX);
  const labelStep =
    step * (LINES_BY_LABEL.find((lines) => length / (step * lines) <= LABELS_MAX) ?? LINES_BY_LABEL.at(-1)!);
  const labels = [];
  for (let at = Math.ceil(fromMs / labelStep) * labelStep; at < untilMs - length * 0.06; at += labelStep) {
    labels.push({ at: (at - fromMs) / length, text: labelOf(at, labelStep, length, axis) });
  }
  const first = Math.ceil(fromMs / step) * step;
  return { lineStep: step / length, lineOffset: (first - fromMs) / length, labels };
}

function labelOf(ms: number, stepMs: number, lengthMs: number, axis: Axis): string {
  const sign = ms < 0 ? "−" : axis === "answer" && ms > 0 ? "+" : "";
  const size = Math.abs(ms);
  if (axis === "call" && (size >= 60_000 || stepMs >= 15_000)) return `${sign}${clockText(size, stepMs < 1_000)}`;
  if (lengthMs < 1_000 && size < 1_000) return `${sign}${size} ms`;
  const digits = ms === 0 || stepMs % 1_000 === 0 ? 0 : stepMs % 100 === 0 ? 1 : stepMs % 10 === 0 ? 2 : 3;
  return `${sign}${(size / 1_000).toFixed(digits)} s`;
}

function clockText(ms: number, withTenths: boolean): string {
  const seconds = ms / 1_000;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = (seconds % 60).toFixed(withTenths ? 1 : 0).padStart(withTenths ? 4 : 2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Example: `0:03.2`. */
export const callTime = (ms: number): string => `${ms < 0 ? "−" : ""}${clockText(Math.abs(ms), true)}`;

/** A `factor` below 1 zooms in. `at` is the share of the width at which the time does not move. */
export function zoom(range: Interval, whole: Interval, at: number, factor: number): Interval {
  const length = range.untilMs - range.fromMs;
  const shortest = Math.min(SHORTEST_MS, whole.untilMs - whole.fromMs);
  const wanted = Math.min(Math.max(length * factor, shortest), whole.untilMs - whole.fromMs);
  const fixed = range.fromMs + at * length;
  return within({ fromMs: fixed - at * wanted, untilMs: fixed + (1 - at) * wanted }, whole);
}

export function pan(range: Interval, whole: Interval, share: number): Interval {
  const by = share * (range.untilMs - range.fromMs);
  return within({ fromMs: range.fromMs + by, untilMs: range.untilMs + by }, whole);
}

function within({ fromMs, untilMs }: Interval, whole: Interval): Interval {
  const length = Math.min(untilMs - fromMs, whole.untilMs - whole.fromMs);
  const from = Math.min(Math.max(fromMs, whole.fromMs), whole.untilMs - length);
  return { fromMs: from, untilMs: from + length };
}

export const percent = (share: number): string => `${Math.round(share * 100_000) / 1_000}%`;

/** In milliseconds since the start of the conversation. */
export type Interval = { fromMs: number; untilMs: number };

/** Converts the times of one conversation to milliseconds since its start. */
export type Clock = {
  ms(time: string): number;
  ofNanoseconds(time: string): number;
};

export function createClock({ startedAt }: Pick<Trace, "startedAt">): Clock {
  const startMs = Date.parse(startedAt);
  const startNs = BigInt(startMs) * 1_000_000n;
  return {
    ms: (time) => Date.parse(time) - startMs,
    ofNanoseconds: (time) => Number(BigInt(time) - startNs) / 1e6,
  };
}

/** Returns the end of the conversation in milliseconds since its start: the latest of its end, its speech and its turns. */
export function endOf(trace: Pick<Trace, "startedAt" | "durationMs" | "speech" | "turns">): number {
  const { ms } = createClock(trace);
  const ends = [
    ...trace.speech.map(({ endedAt }) => ms(endedAt)),
    ...trace.turns.map((turn) => ms(turn.endedAt ?? turn.startedAt)),
  ];
  return ends.reduce((latest, end) => Math.max(latest, end), trace.durationMs ?? 0);
}
