import { Args, Flags } from "@oclif/core";
import { LABEL_VERDICTS, type LabelVerdict } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { itemText } from "../../review/review-text.ts";

export default command({
  summary: "Label a conversation of the review queue with the verdict that is right",
  description:
    "Sets the same label as `svc graders label`: your later label replaces your earlier label, and labels of other people stay. An item is done when you have labeled each of its grades, or when two people have, if it needs two people.",
  examples: [
    "<%= config.bin %> review label rvi_06ft2v8xk3n9q4w7r1y5z0abcd failed",
    '<%= config.bin %> review label rvi_06ft2v8xk3n9q4w7r1y5z0abcd unsure --note "The caller cannot be heard."',
  ],
  args: {
    item: argument("Id of the item, from `svc review next`."),
    verdict: Args.string({
      description: "Verdict that the grade should have, or unsure.",
      options: [...LABEL_VERDICTS],
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    grade: Flags.string({ description: "Id of the grade, when the item has several.", helpValue: "<gra_…>" }),
    note: Flags.string({ description: "Reason for the label." }),
  },
  async run({ args, startSession, flags: { grade: gradeId, note } }) {
    const { client, projectId } = await startSession();
    const verdict = args.verdict as LabelVerdict;
    return client.review.label({ reviewItemId: args.item, verdict, gradeId, note, projectId });
  },
  show: (answer) => (answer.item.state === "open" ? itemText(answer) : "Done. To go on: svc review next"),
});
