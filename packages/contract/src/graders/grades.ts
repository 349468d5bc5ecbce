import { z } from "zod";
import { readsProject, writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { VERDICTS } from "../runs/vocabulary.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";

/** What supports a verdict. */
export const GradeEvidence = z
  .strictObject({
    turn: count().nullable().meta({ description: "The turn that it was said in." }),
    quote: z.string().nullable().meta({ description: "Words of that turn, found there by code." }),
    toolCall: count().nullable().meta({ description: "The tool call, counted from 0." }),
  })
  .meta({ id: "GradeEvidence" });

/** What a person says of a grade. */
export const GradeLabel = z
  .strictObject({
    verdict: z.enum(["passed", "failed"]).meta({ description: "What the verdict should be." }),
    note: z.string().nullable(),
    userId: z.string().meta({ description: "Who says so; of a key, the person who made it." }),
    userName: z.string(),
    labeledAt: timestamp(),
  })
  .meta({ id: "GradeLabel" });
export type GradeLabel = z.infer<typeof GradeLabel>;

/** One verdict on one criterion. It never changes; people say in labels what it should be. */
export const Grade = z
  .strictObject({
    id: id("gra")
      .nullable()
      .meta({ description: "By which people label it; null for a veto, which is theirs already." }),
    graderId: z.string(),
    graderVersionId: z.string(),
    graderName: z.string(),
    criterion: z.string().meta({ description: "The expected behavior, or what the grader looks at." }),
    decidedBy: z.enum(["check", "judge", "built_in", "veto", "none"]),
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    evidence: z.array(GradeEvidence),
    confidence: z.number().min(0).max(1).nullable(),
    votes: z.array(json).meta({ description: "Each judgement as it was given, with the model and its raw reply." }),
    counts: z.boolean().meta({ description: "False: shown, and without influence on the simulation's verdict." }),
    gradedAt: timestamp().nullable().meta({ description: "Null for a veto." }),
    labels: z.array(GradeLabel).meta({ description: "One for each person who labeled it, the first first." }),
  })
  .meta({ id: "Grade" });
export type Grade = z.infer<typeof Grade>;

/** The same without the single judgements, in a list. */
export const GradeSummary = Grade.omit({ votes: true }).meta({ id: "GradeSummary" });
export type GradeSummary = z.infer<typeof GradeSummary>;

const tag = "Graders";

/** Verdicts, and what people say of them. */
export const grades = {
  /**
   * Lists the grades of a conversation, by the id of any of its traces: of production by the graders that sampled it, of a
   * simulation those of its last grading. Empty while nothing graded it.
   */
  ofTrace: operation({
    method: "GET",
    path: "/v1/traces/{traceId}/grades",
    summary: "List a conversation's grades",
    description:
      "Of production by the graders that sampled it, of a simulation those of its last grading. Empty while nothing graded it.",
    tag,
    ...readsProject,
    params: z.strictObject({ traceId: z.string().min(1).meta({ description: "32 hexadecimal characters." }) }),
    query: z.strictObject({ projectId }),
    status: 200,
    answer: z.strictObject({ grades: z.array(Grade) }),
  }),

  /**
   * Says whether a grade's verdict is right, by what it should be. A person has one label for each grade, and the last one
   * counts. It changes no verdict; `GET /v1/graders/{graderId}/agreement` tells what labels say of a grader.
   */
  label: operation({
    method: "PUT",
    path: "/v1/grades/{gradeId}/label",
    summary: "Label a grade",
    description: "A person has one label for each grade, and the last one counts. It changes no verdict.",
    tag,
    ...writesProject,
    params: z.strictObject({ gradeId: idInput("gra") }),
    query: z.strictObject({ projectId }),
    body: z.strictObject({
      verdict: z.enum(["passed", "failed"]).meta({ description: "What the verdict should be." }),
      note: textUpTo(LIMITS.behaviorCharacters).optional(),
    }),
    status: 200,
    answer: z.strictObject({ grade: Grade }),
  }),
};
