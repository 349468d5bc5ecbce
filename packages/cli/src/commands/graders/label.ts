import { Args, Flags } from "@oclif/core";
import { LABEL_VERDICTS, type LabelVerdict } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { gradeText } from "../../graders/grade-text.ts";

export default command({
  summary: "Label a grade with the verdict that it should have",
  description:
    "A label does not change the verdict. `svc graders agreement` uses the labels to show how reliable a grader is. Your latest label of a grade replaces your earlier ones. `svc review next` chooses what to label.",
  examples: [
    "<%= config.bin %> graders label gra_06ft2v8xk3n9q4w7r1y5z0abcd failed",
    '<%= config.bin %> graders label gra_06ft2v8xk3n9q4w7r1y5z0abcd passed --note "It was booked by mail."',
  ],
  args: {
    id: argument("Id of the grade, from `svc traces grades TRACE_ID`, for production conversations and simulations."),
    verdict: Args.string({
      description: "Verdict that the grade should have, or unsure.",
      options: [...LABEL_VERDICTS],
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: { note: Flags.string({ description: "Reason for the label." }) },
  async run({ args, startSession, flags: { note } }) {
    const { client, projectId } = await startSession();
    const verdict = args.verdict as LabelVerdict;
    return (await client.grades.label({ gradeId: args.id, verdict, note, projectId })).grade;
  },
  show: gradeText,
});
