import type { JudgeCalibrations } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { type CalibratedBehavior, calibrationOf } from "../judge/calibration.ts";
import { judgeBehaviors } from "../judge/judge.ts";
import { type LabelledConversation, type LabelledSet, labelledSet } from "../judge/labelled-set.ts";
import { createJudge } from "../judge/model.ts";
import { inParallel } from "../../base/async/in-parallel.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { Log } from "../../base/log/log.ts";
import type { CalibrationStore } from "./store/calibrations.ts";

const CONVERSATIONS_AT_ONCE = 4;

/** Only one calibration at a time runs in this process, for all projects together. */
export type Calibrator = {
  /** Starts a calibration unless one is running. Throws a conflict if the service has no language model. */
  start: () => void;
  state: () => Promise<JudgeCalibrations>;
  /** Stops a running calibration, which then has no result. */
  close: () => Promise<void>;
};

type Needs = { model: LanguageModel | undefined; store: CalibrationStore; log: Log };

export function createCalibrator({ model, store, log }: Needs): Calibrator {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: JudgeCalibrations["running"] = null;
  let failure: string | null = null;
  let work: Promise<void> = Promise.resolve();

  async function calibrate(usedModel: LanguageModel, set: LabelledSet, progress: { startedAt: string; done: number }) {
    const judge = createJudge(usedModel, { signal });
    const results = new Map<LabelledConversation, CalibratedBehavior[]>();
    await inParallel(set.conversations, CONVERSATIONS_AT_ONCE, async (conversation) => {
      if (signal.aborted) return;
      const { id: conversationId, evidence, behaviors } = conversation;
      const sentences = behaviors.map(({ behavior }) => behavior);
      const judgements = await judgeBehaviors(sentences, evidence, judge, conversationId);
      results.set(
        conversation,
        behaviors.map((behavior, index) => ({ ...behavior, conversationId, judgement: judgements[index]! })),
      );
      progress.done += behaviors.length;
    });
    if (signal.aborted) return;
    const calibrated = set.conversations.flatMap((conversation) => results.get(conversation)!);
    const { startedAt } = progress;
    const result = calibrationOf(set, calibrated, { startedAt, finishedAt: new Date().toISOString() });
    if ("failure" in result) failure = result.failure;
    else await store.put(result);
  }

  return {
    start() {
      if (model === undefined)
        throw new AppError(
          "conflict",
          "The service has no language model to calibrate. Set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL at the service.",
        );
      if (running !== null || signal.aborted) return;
      const set = labelledSet();
      const total = set.conversations.reduce((sum, { behaviors }) => sum + behaviors.length, 0);
      const progress = { startedAt: new Date().toISOString(), done: 0, total };
      running = progress;
      failure = null;
      work = calibrate(model, set, progress)
        .catch((error: unknown) => {
          log.error({ err: error }, "the judge could not be calibrated");
          failure = "The service failed to calibrate the judge. Its log has the cause.";
        })
        .finally(() => (running = null));
    },

    async state() {
      const current = running && { ...running };
      return { running: current, failure, calibrations: await store.list() };
    },

    async close() {
      stopping.abort();
      await work;
    },
  };
}
