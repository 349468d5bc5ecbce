import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { versionNumber } from "../core/numbers.ts";
import { LABEL_VERDICTS, VERDICTS } from "./verdicts.ts";

/** Label of one person on a grade, with the verdict and the conversation of the grade. */
export const LabeledGrade = z
  .strictObject({
    gradeId: id("gra"),
    graderVersionId: id("grdv"),
    version: versionNumber,
    criterion: z.string().meta({ description: "The expected behavior, or the grader's criterion." }),
    graded: z.enum(VERDICTS).meta({ description: "The verdict of the grade." }),
    verdict: z.enum(LABEL_VERDICTS).meta({ description: "The verdict that the person considers right, or `unsure`." }),
    note: z.string().nullable(),
    userId: z.string().meta({ description: "Id of the person, or of the API key's creator." }),
    userName: z.string(),
    labeledAt: timestamp(),
    runId: id("run").nullable().meta({ description: "Null for a production conversation." }),
    simulationId: id("sim").nullable().meta({ description: "Null for a production conversation." }),
    conversation: z
      .string()
      .nullable()
      .meta({ description: "Id of the production conversation, or the id of its trace; null for a simulation." }),
  })
  .meta({ id: "LabeledGrade" });
export type LabeledGrade = z.infer<typeof LabeledGrade>;
