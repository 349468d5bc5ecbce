import { z } from "zod";
import { writesProject } from "../core/access.ts";
import { id, idInput, timestamp } from "../core/ids.ts";
import { json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { getOperation } from "../core/resource-operations.ts";
import { projectId } from "../core/selection.ts";
import { textUpTo } from "../core/texts.ts";
import { JudgeIdentity, JudgeRates, ModelUsage } from "./judge.ts";
import { LABEL_VERDICTS, VERDICTS } from "./verdicts.ts";

/** Evidence for a verdict: a turn with a quote, or a tool call. */
export const GradeEvidence = z
  .strictObject({
    turn: count().nullable().meta({ description: "Index of the turn that supports the verdict." }),
    quote: z.string().nullable().meta({ description: "Words from that turn. Code has found them in the turn's text." }),
    speaker: z.enum(["agent", "caller", "tool"]).optional().meta({
      description:
        "Speaker of the quote, when the judge gave the quote. Code has checked the speaker. `tool`: the quote is from a tool call.",
    }),
    toolCall: count().nullable().meta({ description: "Index of the tool call that supports the verdict, from 0." }),
    at: timestamp().optional().meta({
      description:
        "Time of the interruption, for verdicts about interruptions. Absent in verdicts that an earlier version of the service stored.",
    }),
  })
  .meta({ id: "GradeEvidence" });

/** Opinion of one person about a grade. */
export const GradeLabel = z
  .strictObject({
    verdict: z.enum(LABEL_VERDICTS).meta({ description: "The verdict that the person considers right, or `unsure`." }),
    note: z.string().nullable(),
    userId: z.string().meta({ description: "Id of the person, or of the API key's creator." }),
    userName: z.string(),
    labeledAt: timestamp(),
  })
  .meta({ id: "GradeLabel" });
export type GradeLabel = z.infer<typeof GradeLabel>;

/** Verdict on one criterion. A grade never changes. People record their opinions in labels. */
export const Grade = z
  .strictObject({
    id: id("gra").nullable().meta({
      description: "Id with which people label the grade; null for a veto, which a person made.",
    }),
    graderId: z.string(),
    graderVersionId: z.string(),
    graderName: z.string(),
    criterion: z.string().meta({ description: "The expected behavior, or the grader's criterion." }),
    reading: z.string().nullable().meta({
      description:
        "One sentence that says how the service understood the criterion. Null for a criterion that is not an expected behavior, and for grades that an earlier version of the service stored without it.",
    }),
    decidedBy: z.enum(["check", "judge", "built_in", "veto", "none"]),
    verdict: z.enum(VERDICTS),
    reason: z.string(),
    evidence: z.array(GradeEvidence),
    confidence: z.number().min(0).max(1).nullable(),
    votes: z.array(json).meta({ description: "Each vote of the judge, with the model's name and its unedited reply." }),
    judge: JudgeIdentity.nullable().meta({
      description:
        "The judge that decided. Null when no judge decided, and for grades that an earlier version of the service stored without it.",
    }),
    calibration: JudgeRates.nullable().meta({
      description: "How often this judge was right in its last calibration. Null without a calibration.",
    }),
    usage: ModelUsage.nullable().meta({
      description:
        "The grade's share of the judge's requests. One request judges several behaviors; its tokens and its cost are divided equally among them.",
    }),
    counts: z
      .boolean()
      .meta({ description: "`false`: the grade is shown but does not influence the simulation's verdict." }),
    gradedAt: timestamp().nullable().meta({ description: "Null for a veto." }),
    labels: z.array(GradeLabel).meta({ description: "One label per person, oldest first." }),
  })
  .meta({ id: "Grade" });
export type Grade = z.infer<typeof Grade>;

/** Grade in a list, without the judge's votes and calibration. */
export const GradeSummary = Grade.omit({ votes: true, calibration: true }).meta({ id: "GradeSummary" });
export type GradeSummary = z.infer<typeof GradeSummary>;

const common = { tag: "Graders", query: z.strictObject({ projectId }) } as const;

/** Grades of conversations, and people's labels on them. */
export const grades = {
  /**
   * Lists the grades of the conversation that contains a trace. A production conversation has the grades of the graders that
   * sampled it. A simulation has the grades of its last grading. The list is empty before the first grading.
   */
  ofTrace: getOperation({
    ...common,
    path: "/v1/traces/{traceId}/grades",
    summary: "List a conversation's grades",
    description:
      "A production conversation has the grades of the graders that sampled it. A simulation has the grades of its last grading. The list is empty before the first grading.",
    resource: "trace",
    params: z.strictObject({ traceId: z.string().min(1).meta({ description: "32 hexadecimal characters." }) }),
    answer: z.strictObject({ grades: z.array(Grade) }),
  }),

  /**
   * Stores the caller's label on a grade: the verdict that the caller considers right. A person has one label per grade; a later
   * label replaces it. A label changes no verdict. It also counts as a label of the grade's item in the review queue. `GET
   * /v1/graders/{graderId}/agreement` summarizes the labels of a grader.
   */
  label: operation({
    ...common,
    ...writesProject,
    method: "PUT",
    path: "/v1/grades/{gradeId}/label",
    summary: "Label a grade",
    description:
      "A person has one label per grade; a later label replaces it. A label changes no verdict. It also counts as a label of the grade's item in the review queue. `GET /v1/graders/{graderId}/agreement` summarizes a grader's labels.",
    resource: "grade",
    params: z.strictObject({ gradeId: idInput("gra") }),
    body: z.strictObject({
      verdict: z.enum(LABEL_VERDICTS).meta({
        description:
          "The verdict that you consider right, or `unsure`. The statistics of agreement do not count `unsure`.",
      }),
      note: textUpTo(LIMITS.behaviorCharacters).optional(),
    }),
    status: 200,
    answer: z.strictObject({ grade: Grade }),
  }),
};
