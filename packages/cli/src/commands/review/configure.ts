import { Flags } from "@oclif/core";
import { REVIEW_REASON_NAMES } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { repeatedFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";
import { shareFlag } from "../../review/review-flags.ts";
import { queueText } from "../../review/review-text.ts";

export default command({
  summary: "Switch the review queue on or off, and choose which conversations enter it",
  description:
    "Changes only what the flags name. The settings apply to conversations that are graded later. --source replaces all sources, and --grader all graders.",
  examples: [
    "<%= config.bin %> review configure --on",
    "<%= config.bin %> review configure --on --random 5% --two-people 20%",
    '<%= config.bin %> review configure --source disagreement --source low_confidence --grader "No promises"',
  ],
  flags: {
    on: Flags.boolean({ description: "Switch the queue on.", exclusive: ["off"] }),
    off: Flags.boolean({ description: "Switch the queue off. The items in the queue stay." }),
    source: Flags.option({
      options: REVIEW_REASON_NAMES,
      multiple: true,
      multipleNonGreedy: true,
      description: "A reason for which conversations enter the queue. Repeat the flag for several.",
    })(),
    random: shareFlag({
      description: "Share of the graded conversations that enter the queue by a random draw, such as 2%.",
    }),
    "confidence-below": shareFlag({
      description:
        "A conversation enters the queue if a grade of the judge has less confidence than this, such as 70%.",
    }),
    of: Flags.option({
      options: ["production", "simulations", "both"] as const,
      description: "Kind of conversations that enter the queue.",
    })(),
    grader: repeatedFlag("Id or exact name of a grader whose grades people label, even if code decides them."),
    "every-judge": Flags.boolean({ description: "Label every grade that a judge decided.", exclusive: ["grader"] }),
    "two-people": shareFlag({ description: "Share of the items that two people must label." }),
  },
  async run({ startSession, flags }) {
    const { on, off, source, random, of, grader, "every-judge": everyJudge } = flags;
    const session = await startSession();
    const graderIds = grader && (await Promise.all(grader.map((name) => idOf(session, "grader", name))));
    const change = {
      ...((on === true || off === true) && { enabled: on === true }),
      ...(source !== undefined && { sources: source }),
      ...(random !== undefined && { randomShare: random }),
      ...(flags["confidence-below"] !== undefined && { confidenceBelow: flags["confidence-below"] }),
      ...(of !== undefined && { scope: of }),
      ...(graderIds !== undefined && { graderIds }),
      ...(everyJudge === true && { graderIds: [] }),
      ...(flags["two-people"] !== undefined && { secondPersonShare: flags["two-people"] }),
    };
    if (Object.keys(change).length === 0)
      throw usage(
        "Nothing to change. Set --on, --off, --random, --source or another flag of `svc review configure --help`.",
      );
    return (await session.client.review.configure({ ...change, projectId: session.projectId })).queue;
  },
  show: queueText,
});
