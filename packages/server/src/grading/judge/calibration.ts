import type { JudgeCalibration } from "@svc/contract";
import { addUsage, NO_USAGE } from "../../language-model/usage.ts";
import { wilson } from "../statistics.ts";
import { type Judgement } from "./judge.ts";
import type { LabelledBehavior, LabelledSet } from "./labelled-set.ts";

/** A judgement of the labelled set beside its label. */
export type CalibratedBehavior = LabelledBehavior & { conversationId: string; judgement: Judgement };

/** The share of behaviors that the endpoint may fail to judge; beyond it a calibration says nothing about the judge. */
const FAILED_SHARE_MAX = 0.05;

/** Returns the result of a calibration, or why it has none: the endpoint failed too often, or answered with several models. */
export function calibrationOf(
  { version, conversations }: Pick<LabelledSet, "version" | "conversations">,
  behaviors: readonly CalibratedBehavior[],
  times: { startedAt: string; finishedAt: string },
): JudgeCalibration | { failure: string } {
  const identities = behaviors.flatMap(({ judgement }) => judgement.identity ?? []);
  const identity = identities.at(-1);
  const models = [...new Set(identities.flatMap(({ model }) => model.split(", ")))].sort();
  const failed = behaviors.filter(({ judgement: { decision } }) => decision.verdict === "errored");
  if (identity === undefined || failed.length > behaviors.length * FAILED_SHARE_MAX)
    return {
      failure: `${failed.length} of ${behaviors.length} behaviors could not be judged. ${failed[0]?.judgement.decision.reason ?? ""}`,
    };
  if (models.length > 1)
    return {
      failure: `The endpoint answered with several models (${models.join(", ")}). A calibration measures one model. Set SVC_LLM_MODEL to the exact name of one model, and calibrate again.`,
    };
  const of = (label: "passed" | "failed") => behaviors.filter((behavior) => behavior.label === label);
  const judged = (some: readonly CalibratedBehavior[], verdict: "passed" | "failed") =>
    some.filter(({ judgement }) => judgement.decision.verdict === verdict).length;
  const right = behaviors.filter(isRight).length;
  return {
    judge: identity,
    setVersion: version,
    conversations: conversations.length,
    behaviors: behaviors.length,
    accuracy: rateOf(right, behaviors.length),
    falsePass: rateOf(judged(of("failed"), "passed"), of("failed").length),
    falseFail: rateOf(judged(of("passed"), "failed"), of("passed").length),
    undecided: behaviors.length - judged(behaviors, "passed") - judged(behaviors, "failed"),
    misses: behaviors
      .filter((behavior) => !isRight(behavior))
      .map(({ conversationId, behavior, label, why, judgement: { decision } }) => ({
        conversationId,
        behavior,
        label,
        verdict: decision.verdict,
        reason: decision.reason,
        why,
      })),
    usage: behaviors.map(({ judgement }) => judgement.usage).reduce(addUsage, NO_USAGE),
    ...times,
  };
}

const isRight = ({ label, judgement }: CalibratedBehavior) => judgement.decision.verdict === label;

function rateOf(count: number, of: number) {
  const interval = wilson(count, of);
  return { count, of, share: interval && count / of, low: interval && interval.low, high: interval && interval.high };
}
