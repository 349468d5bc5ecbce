import { type JudgeCalibrations, SET_LANGUAGE_MODEL } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { type CalibratedBehavior, calibrationOf } from "../judge/calibration.ts";
import { judgeBehaviors } from "../judge/judge.ts";
import { type LabelledConversation, type LabelledSet, labelledSet } from "../judge/labelled-set.ts";
import { createJudge } from "../judge/model.ts";
import { inParallel } from "../../base/async/in-parallel.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { LanguageModels } from "../language-model/open.ts";
import type { Log } from "../../base/log/log.ts";
import type { CalibrationStore } from "./store/calibrations.ts";

const CONVERSATIONS_AT_ONCE = 4;

/** Only one calibration of a model runs at a time in this process. */
export type Calibrator = {
  /** Starts a calibration unless one is running. Throws a conflict without a language model. */
  start: (organizationId: string) => Promise<void>;
  state: (organizationId: string) => Promise<JudgeCalibrations>;
  /** Stops the running calibrations, which then have no result. */
  close: () => Promise<void>;
};

type Needs = { models: LanguageModels; store: CalibrationStore; log: Log };

type Progress = NonNullable<JudgeCalibrations["running"]>;

export function createCalibrator({ models, store, log }: Needs): Calibrator {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Map<string, Progress>();
  const failures = new Map<string, string>();
  const work = new Set<Promise<void>>();

  async function calibrate(owner: string, model: LanguageModel, set: LabelledSet, progress: Progress) {
    const judge = createJudge(model, { signal });
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
    if ("failure" in result) failures.set(owner, result.failure);
    else await store.put(owner, result);
  }

  return {
    async start(organizationId) {
      const model = await models.ofOrganization(organizationId);
      if (model === undefined)
        throw new AppError("conflict", `There is no language model to calibrate. ${SET_LANGUAGE_MODEL}.`);
      const owner = models.ownerOf(organizationId);
      if (running.has(owner) || signal.aborted) return;
      const set = labelledSet();
      const total = set.conversations.reduce((sum, { behaviors }) => sum + behaviors.length, 0);
      const progress = { startedAt: new Date().toISOString(), done: 0, total };
      running.set(owner, progress);
      failures.delete(owner);
      const calibrating = calibrate(owner, model, set, progress)
        .catch((error: unknown) => {
          log.error({ err: error }, "the judge could not be calibrated");
          failures.set(owner, "The service failed to calibrate the judge. Its log has the cause.");
        })
        .finally(() => {
          running.delete(owner);
          work.delete(calibrating);
        });
      work.add(calibrating);
    },

    async state(organizationId) {
      const owner = models.ownerOf(organizationId);
      const current = running.get(owner);
      return {
        running: current ? { ...current } : null,
        failure: failures.get(owner) ?? null,
        calibrations: await store.list(owner),
      };
    },

    async close() {
      stopping.abort();
      await Promise.all(work);
    },
  };
}
