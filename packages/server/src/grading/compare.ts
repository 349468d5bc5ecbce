import type { Verdict } from "@svc/contract";
import { mcnemar, median, medianDifference } from "./statistics.ts";

/** The result of one simulation of a run. */
export type SimulationResult = {
  testVersionId: string;
  persona: string;
  iteration: number;
  verdict: Verdict;
  latencyMs: number | null; // the median response time of the conversation
};

type Comparison = {
  pairs: number; // simulations that both runs have
  unpaired: number; // simulations that one run has
  decided: number; // pairs in which both passed or failed
  regressed: SimulationResult[]; // passed in the first, failed in the second
  mended: SimulationResult[]; // failed in the first, passed in the second
  p: number; // exact McNemar
  latency: {
    pairs: number;
    firstMs: number;
    secondMs: number;
    differenceMs: number;
    lowMs: number;
    highMs: number;
  } | null;
  /** True when passing or latency differs by more than chance explains. */
  distinguishable: boolean;
  words: string[];
};

const P_MAX = 0.05;
/** Fewer changes can be chance, even when all go one way. */
const CHANGES_MIN = 6;
/** With fewer pairs an interval is meaningless. */
const LATENCY_PAIRS_MIN = 10;
/** A difference below this share of the median does not matter, even when it is certain. */
const LATENCY_SHARE_MIN = 0.05;

/**
 * Compares two runs, paired by test version, persona and iteration. The order of the results does not change the
 * comparison.
 */
export function compareRuns(first: readonly SimulationResult[], second: readonly SimulationResult[]): Comparison {
  const others = new Map(second.map((result) => [keyOf(result), result]));
  const pairs = first
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap((before) => {
      const after = others.get(keyOf(before));
      return after === undefined ? [] : [{ before, after }];
    });
  const decided = pairs.filter(({ before, after }) => isDecided(before) && isDecided(after));
  const changed = decided.filter(({ before, after }) => before.verdict !== after.verdict);
  const regressed = changed.filter(({ after }) => after.verdict === "failed").map(({ after }) => after);
  const mended = changed.filter(({ after }) => after.verdict === "passed").map(({ after }) => after);
  const p = mcnemar(regressed.length, mended.length);
  const latency = latencyOf(pairs);
  const passingDiffers = p < P_MAX;
  const latencyDiffers = latency !== null && differs(latency);
  const counts = {
    pairs: pairs.length,
    unpaired: first.length + second.length - 2 * pairs.length,
    decided: decided.length,
  };
  return {
    ...counts,
    regressed,
    mended,
    p,
    latency,
    distinguishable: passingDiffers || latencyDiffers,
    words: [
      passingWords({ ...counts, regressed: regressed.length, mended: mended.length, p }, passingDiffers),
      latencyWords(latency, latencyDiffers),
    ],
  };
}

/** Returns the key by which simulations of two runs are paired. */
export const keyOf = ({ testVersionId, persona, iteration }: SimulationResult) =>
  JSON.stringify([testVersionId, persona, iteration]);

const isDecided = ({ verdict }: SimulationResult) => verdict === "passed" || verdict === "failed";

function latencyOf(pairs: readonly { before: SimulationResult; after: SimulationResult }[]): Comparison["latency"] {
  const latencies = pairs.flatMap(({ before, after }) =>
    before.latencyMs === null || after.latencyMs === null ? [] : [[before.latencyMs, after.latencyMs] as const],
  );
  if (latencies.length < LATENCY_PAIRS_MIN) return null;
  const { difference, low, high } = medianDifference(latencies, JSON.stringify(latencies))!;
  return {
    pairs: latencies.length,
    firstMs: median(latencies.map(([before]) => before)),
    secondMs: median(latencies.map(([, after]) => after)),
    differenceMs: difference,
    lowMs: low,
    highMs: high,
  };
}

const differs = ({ firstMs, differenceMs, lowMs, highMs }: NonNullable<Comparison["latency"]>) =>
  (lowMs > 0 || highMs < 0) && Math.abs(differenceMs) >= firstMs * LATENCY_SHARE_MIN;

type Passing = { pairs: number; unpaired: number; decided: number; regressed: number; mended: number; p: number };

function passingWords({ pairs, unpaired, decided, regressed, mended, p }: Passing, differs: boolean): string {
  const alone = unpaired > 0 ? ` ${unpaired} simulations are in one run only and do not count.` : "";
  const open = pairs > decided ? ` ${pairs - decided} pairs have no verdict on one side and do not count.` : "";
  if (decided === 0)
    return `Passing: nothing to compare, since no simulation passed or failed in both runs.${alone}${open}`;
  const changes = `of ${decided} pairs ${regressed} passed before and fail now, ${mended} failed before and pass now`;
  if (differs)
    return `Passing: the second run passes ${regressed > mended ? "less" : "more"} often: ${changes} (p = ${p.toPrecision(2)}).${alone}${open}`;
  const tooFew = regressed + mended < CHANGES_MIN ? `; fewer than ${CHANGES_MIN} changes can always be chance` : "";
  return `Passing: not distinguishable: ${changes} (p = ${p.toPrecision(2)})${tooFew}.${alone}${open}`;
}

function latencyWords(latency: Comparison["latency"], differs: boolean): string {
  if (latency === null)
    return `Latency: nothing to compare; fewer than ${LATENCY_PAIRS_MIN} pairs have response times on both sides.`;
  const { pairs, firstMs, secondMs, differenceMs, lowMs, highMs } = latency;
  const medians = `median ${Math.round(firstMs)} ms before, ${Math.round(secondMs)} ms now`;
  const interval = `difference ${signed(differenceMs)} ms, 95% interval ${signed(lowMs)} to ${signed(highMs)} ms, ${pairs} pairs`;
  if (!differs) return `Latency: not distinguishable: ${medians} (${interval}).`;
  return `Latency: the second run is ${differenceMs > 0 ? "slower" : "faster"}: ${medians} (${interval}).`;
}

const signed = (ms: number) => `${ms > 0 ? "+" : ""}${Math.round(ms)}`;
