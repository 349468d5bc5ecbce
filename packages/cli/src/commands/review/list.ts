import { Flags } from "@oclif/core";
import { REVIEW_STATES } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { limitFlag } from "../../flags.ts";
import { filtersOf, itemFlags } from "../../review/review-flags.ts";
import { itemStateText, reasonsText } from "../../review/review-text.ts";
import { moreLine, pageSizeFor, take } from "../../terminal/list.ts";
import { table } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "List the conversations of the review queue, newest first",
  examples: [
    "<%= config.bin %> review list --state open",
    "<%= config.bin %> review list --reason disagreement --agent Hotel",
  ],
  flags: {
    state: Flags.option({ options: REVIEW_STATES, description: "Only items in this state." })(),
    ...itemFlags(),
    limit: limitFlag(),
  },
  async run({ startSession, flags: { state, limit, ...chosen } }) {
    const session = await startSession();
    const { client, projectId, pages } = session;
    const filters = await filtersOf(session, chosen);
    return take(pages(client.review.list, { projectId, state, ...filters, pageSize: pageSizeFor(limit) }), limit);
  },
  show: (list, { flags: { state, reason, grader, agent } }) =>
    table(
      list.items,
      [
        { title: "queued", cell: ({ createdAt }) => ago(createdAt) },
        { title: "state", cell: itemStateText, cut: true },
        { title: "reasons", cell: reasonsText, cut: true },
        { title: "agent", cell: ({ agentName }) => agentName ?? "without a name", cut: true, spare: 2 },
        { title: "source", cell: ({ source }) => source, spare: 1 },
        { title: "grades", cell: ({ gradeIds }) => String(gradeIds.length), right: true, spare: 3 },
        { title: "id", cell: ({ id }) => id, whole: true },
      ],
      [state, reason, grader, agent].every((one) => one === undefined)
        ? "No conversation has come into the review queue. To see whether it is on: svc review show"
        : "No such item.",
    ) + moreLine(list),
});
