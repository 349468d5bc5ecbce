import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { filtersOf, itemFlags } from "../../review/review-flags.ts";
import { itemText, NOTHING_LEFT } from "../../review/review-text.ts";

export default command({
  summary: "Take the next conversation to label",
  description:
    "Nobody else gets this conversation for ten minutes, unless it needs two people. Conversations of alerts come first, then the oldest conversation. If you repeat the command, it shows the conversation that you already have; with --after, it shows the next one.",
  examples: ["<%= config.bin %> review next", "<%= config.bin %> review next --reason random"],
  flags: {
    ...itemFlags(),
    after: Flags.string({
      description: "Id of an item: take an item that comes after this one.",
      helpValue: "<rvi_…>",
    }),
  },
  async run({ startSession, flags: { after, ...chosen } }) {
    const session = await startSession();
    const { client, projectId } = session;
    return client.review.next({ projectId, after, ...(await filtersOf(session, chosen)) });
  },
  show: ({ item, grades }) => (item === null ? NOTHING_LEFT : itemText({ item, grades })),
});
