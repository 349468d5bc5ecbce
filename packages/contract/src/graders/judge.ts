import { z } from "zod";
import { writesProject } from "../core/access.ts";
import { timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { VERDICTS } from "./verdicts.ts";

/** Identity of a judge. Verdicts of judges with different identities are not comparable. */
export const JudgeIdentity = z
  .strictObject({
    model: z.string().meta({
      description: "Name of the model that answered, as the endpoint gives it; several names when they differed.",
    }),
    promptVersion: z.string().meta({ description: "Version of the service's prompt." }),
    dialect: z.enum(["full", "plain"]).meta({
      description:
        "Form of the requests. `full`: with a temperature and a schema of the answer. `plain`: without both, because the endpoint refuses them.",
    }),
  })
  .meta({ id: "JudgeIdentity" });
export type JudgeIdentity = z.infer<typeof JudgeIdentity>;

const tokens = (description: string) =>
  count(`${description} Null when the endpoint did not report the number for a request.`).nullable();

/** Token usage of a language model, and its cost. */
export const ModelUsage = z
  .strictObject({
    requests: count("Number of requests with an answer."),
    inputTokens: tokens("Tokens of the prompts, including cached tokens."),
    cachedInputTokens: tokens("Tokens of the prompts that the endpoint took from its cache."),
    outputTokens: tokens("Tokens of the answers."),
    cost: z.number().min(0).nullable().meta({
      description:
        "Cost by the prices in the service's settings, in their currency. Null when a price or a number of tokens is not known.",
    }),
  })
  .meta({ id: "ModelUsage" });
export type ModelUsage = z.infer<typeof ModelUsage>;

const rate = (description: string) =>
  z
    .strictObject({
      count: count(),
      of: count(),
      share: z.number().min(0).max(1).nullable(),
      low: z.number().min(0).max(1).nullable(),
      high: z.number().min(0).max(1).nullable(),
    })
    .meta({ description: `${description} With the 95 % Wilson interval, which treats behaviors as independent.` });

const measured = (description: string, least: number) => {
  const number = z.number().min(least).max(1).nullable();
  return z
    .strictObject({ value: number, low: number, high: number })
    .meta({ description: `${description} With its 95 % interval. Null when the labelled set has too few behaviors.` });
};

const ratesShape = {
  setVersion: z.string().meta({
    description: "Version of the labelled set: conversations with known right verdicts, which ship with the service.",
  }),
  accuracy: rate("Share of the behaviors with the right verdict. An undecided behavior counts as wrong."),
  falsePass: rate("Share of the failing behaviors that the judge passed."),
  falseFail: rate("Share of the passing behaviors that the judge failed."),
  undecided: count("Number of behaviors that the judge neither passed nor failed."),
  finishedAt: timestamp(),
};

/**
 * Rates of right and wrong verdicts of a judge on the labelled set, which are conversations with known right verdicts that ship with the
 * service.
 */
export const JudgeRates = z.strictObject(ratesShape).meta({ id: "JudgeRates" });
export type JudgeRates = z.infer<typeof JudgeRates>;

/** Result of a calibration: the verdicts of a judge on the behaviors of the labelled set, compared with their labels. */
export const JudgeCalibration = z
  .strictObject({
    judge: JudgeIdentity,
    ...ratesShape,
    conversations: count(),
    behaviors: count(),
    balancedAccuracy: measured(
      "Mean of the shares of passing and of failing behaviors with the right verdict. A judge that always gives the same verdict has 0.5.",
      0,
    ),
    kappa: measured(
      "Cohen's kappa of the decided behaviors: agreement with the labels beyond that of chance. A judge that guesses has 0.",
      -1,
    ),
    inconclusive: rate(
      "Share of the behaviors about which the judge was inconclusive, or gave no evidence that code could find.",
    ),
    unusable: rate(
      "Share of the behaviors for which the service rejected every reply of the judge, or the endpoint of the model failed.",
    ),
    misses: z
      .array(
        z.strictObject({
          conversationId: z.string(),
          behavior: z.string(),
          label: z.enum(["passed", "failed"]),
          verdict: z.enum(VERDICTS),
          reason: z.string().meta({ description: "The judge's reason." }),
          why: z.string().meta({ description: "The reason of the label. Turns are numbered from 0." }),
        }),
      )
      .meta({ description: "Behaviors whose verdict differs from their label, in the order of the labelled set." }),
    usage: ModelUsage,
    startedAt: timestamp(),
  })
  .meta({ id: "JudgeCalibration" });
export type JudgeCalibration = z.infer<typeof JudgeCalibration>;

/** Calibration in progress, and the last result of each judge. */
export const JudgeCalibrations = z
  .strictObject({
    running: z
      .strictObject({ startedAt: timestamp(), done: count("Number of behaviors with a verdict."), total: count() })
      .nullable(),
    failure: z
      .string()
      .nullable()
      .meta({ description: "Why the last calibration of this process gave no result; null otherwise." }),
    calibrations: z
      .array(JudgeCalibration)
      .meta({ description: "The last result of each judge, newest first, at most 20." }),
  })
  .meta({ id: "JudgeCalibrations" });
export type JudgeCalibrations = z.infer<typeof JudgeCalibrations>;

const common = {
  tag: "Graders",
  query: z.strictObject({ projectId }),
  path: "/v1/judge/calibrations",
  answer: JudgeCalibrations,
} as const;

/** Judge: the language model that decides behaviors when code cannot. All projects of the service share one judge. */
export const judge = {
  /**
   * Starts a calibration on the labelled set that ships with the service, and returns before the calibration ends. Starts no second
   * calibration while one is in progress. Answers 409 `conflict` when the service has no language model.
   */
  calibrate: operation({
    ...common,
    ...writesProject,
    method: "POST",
    status: 201,
    summary: "Calibrate the judge",
    description:
      "Starts to judge the labelled set, which are conversations with known right verdicts that ship with the service. Returns at once. Only one calibration runs at a time. A calibration uses the service's language model.",
    errors: ["conflict"],
  }),

  /** Returns the progress of the current calibration, and the last result of each judge. */
  calibrations: getOperation({ ...common, summary: "Show the judge's calibrations" }),
};
