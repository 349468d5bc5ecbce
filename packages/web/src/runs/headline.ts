import type { RunComparison } from "@svc/contract";

type Compared = Pick<RunComparison, "passingDiffers" | "latencyDiffers" | "latency" | "passRateDifference"> & {
  first: Pick<RunComparison["first"], "played">;
  second: Pick<RunComparison["second"], "played">;
};

/** Returns the sentence on passing. It says "more" or "less" only when chance does not explain the difference. */
export function passingHeadline({ passingDiffers, passRateDifference, first, second }: Compared): string {
  if (first.played === 0 || second.played === 0) return "The runs share no simulation with a verdict.";
  if (!passingDiffers) return "It passes neither measurably more nor less often.";
  const difference = passRateDifference?.value ?? 0;
  if (difference > 0) return "It passes more often.";
  return difference < 0 ? "It passes less often." : "It passes other tests than before.";
}

/** Returns the sentence on the time to answer. */
export function latencyHeadline({ latencyDiffers, latency }: Compared): string {
  if (latency === null) return "Too few pairs have times to answer.";
  if (!latencyDiffers) return "It is not measurably faster or slower.";
  return latency.differenceMs > 0 ? "It is slower." : "It is faster.";
}

/** Returns a probability for brackets: `p = 0.0044`. */
export const pText = (p: number): string => (p < 0.0001 ? "p < 0.0001" : `p = ${Number(p.toPrecision(2))}`);

type ChangedTest = {
  change: "regressed" | "mended";
  testId: string;
  testVersionId: string;
  testName: string;
  pairs: RunComparison["regressed"];
};

/** Returns the changed pairs by test: the regressed ones first, and of both the tests with more pairs first. */
export function changedTests({ regressed, mended }: Pick<RunComparison, "regressed" | "mended">): ChangedTest[] {
  const grouped = (change: ChangedTest["change"], pairs: RunComparison["regressed"]) =>
    [...Map.groupBy(pairs, ({ testVersionId }) => testVersionId).values()]
      .map((ofTest) => {
        const { testId, testVersionId, testName } = ofTest[0]!;
        return { change, testId, testVersionId, testName, pairs: ofTest };
      })
      .toSorted((a, b) => b.pairs.length - a.pairs.length);
  return [...grouped("regressed", regressed), ...grouped("mended", mended)];
}

/** Returns the places of pairs by persona: `angry 2 · hurried 2, 4`. */
export const placesOf = (pairs: RunComparison["regressed"]): string =>
  [...Map.groupBy(pairs, ({ personaName }) => personaName)]
    .map(([persona, ofPersona]) => {
      const iterations = ofPersona.map(({ iteration }) => iteration).toSorted((a, b) => a - b);
      return `${persona} ${iterations.join(", ")}`;
    })
    .join(" · ");
