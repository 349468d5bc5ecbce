import type { JudgeCalibration, Verdict } from "@svc/contract";
import { addUsage, NO_USAGE } from "../language-model/usage.ts";
import { agreementOf } from "../statistics/agreement.ts";
import { meanOfShares, wilson } from "../statistics/statistics.ts";
import { type Judgement } from "./judge.ts";
import type { LabelledBehavior, LabelledSet } from "./labelled-set.ts";
import { winnerOf } from "./votes.ts";

export type CalibratedBehavior = LabelledBehavior & { conversationId: string; judgement: Judgement };

/** Numbers of behaviors with each label, and the behaviors whose verdict differs from the label. */
type Labels = {
  passing: number;
  failing: number;
  misses: readonly Pick<JudgeCalibration["misses"][number], "label" | "verdict">[];
};

/** Largest share of behaviors that the endpoint may fail to judge. With a larger share, a calibration is no evidence about the judge. */
const FAILED_SHARE_MAX = 0.05;

export function calibrationOf(
  { version, conversations }: Pick<LabelledSet, "version" | "conversations">,
  behaviors: readonly CalibratedBehavior[],
  times: { startedAt: string; finishedAt: string },
): JudgeCalibration | { failure: string } {
  const identities = behaviors.flatMap(({ judgement }) => judgement.identity ?? []);
  const identity = identities.at(-1);
  const models = [...new Set(identities.flatMap(({ model }) => model.split(", ")))].sort();
  // A behavior is also errored if too many replies of the judge were unusable. That is a fault of the judge and not of the endpoint, so it
  // does not count here.
  const failed = behaviors.filter(
    ({ judgement: { decision, votes } }) => decision.verdict === "errored" && winnerOf(votes) === undefined,
  );
  if (identity === undefined || failed.length > behaviors.length * FAILED_SHARE_MAX)
    return {
      failure: `${failed.length} of ${behaviors.length} behaviors could not be judged. ${failed[0]?.judgement.decision.reason ?? ""}`,
    };
  if (models.length > 1)
    return {
      failure: `The endpoint answered with several models (${models.join(", ")}). A calibration measures one model. Set the language model's name to the exact name of one model, and calibrate again.`,
    };
  const misses = behaviors.flatMap(({ conversationId, behavior, label, why, judgement: { decision } }) =>
    decision.verdict === label
      ? []
      : [{ conversationId, behavior, label, verdict: decision.verdict, reason: decision.reason, why }],
  );
  const passing = behaviors.filter(({ label }) => label === "passed").length;
  return {
    judge: identity,
    setVersion: version,
    conversations: conversations.length,
    behaviors: behaviors.length,
    ...ratesOf({ passing, failing: behaviors.length - passing, misses }),
    misses,
    usage: behaviors.map(({ judgement }) => judgement.usage).reduce(addUsage, NO_USAGE),
    ...times,
  };
}

export function ratesOf({ passing, failing, misses }: Labels) {
  const all = passing + failing;
  const missed = (label: "passed" | "failed") => misses.filter((miss) => miss.label === label);
  const as = (some: Labels["misses"], verdict: Verdict) => some.filter((miss) => miss.verdict === verdict).length;
  const right = { passed: passing - missed("passed").length, failed: failing - missed("failed").length };
  const [falsePass, falseFail] = [as(missed("failed"), "passed"), as(missed("passed"), "failed")];
  const balanced = meanOfShares({ hits: right.passed, count: passing }, { hits: right.failed, count: failing });
  const decided = [
    { grader: "passed", person: "passed", times: right.passed },
    { grader: "failed", person: "failed", times: right.failed },
    { grader: "passed", person: "failed", times: falsePass },
    { grader: "failed", person: "passed", times: falseFail },
  ] as const;
  const { kappa, kappaLow, kappaHigh } = agreementOf(
    decided.flatMap(({ times, ...pair }) => Array.from({ length: times }, () => pair)),
  );
  return {
    accuracy: rateOf(all - misses.length, all),
    balancedAccuracy: { value: balanced?.mean ?? null, low: balanced?.low ?? null, high: balanced?.high ?? null },
    kappa: { value: kappa, low: kappaLow, high: kappaHigh },
    falsePass: rateOf(falsePass, failing),
    falseFail: rateOf(falseFail, passing),
    inconclusive: rateOf(as(misses, "inconclusive"), all),
    unusable: rateOf(as(misses, "errored"), all),
    undecided: misses.length - falsePass - falseFail,
  };
}

function rateOf(count: number, of: number) {
  const interval = wilson(count, of);
  return { count, of, share: interval && count / of, low: interval && interval.low, high: interval && interval.high };
}
