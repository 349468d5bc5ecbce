import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { filtersOf, itemFlags } from "../../review/review-flags.ts";
import { itemText, NOTHING_LEFT } from "../../review/review-text.ts";

export default command({
  summary: "Take the next conversation to label",
  description:
    "Nobody else gets it for ten minutes, unless it asks for two people. Conversations of alerts come first, then the oldest one. Again, it shows what you have in work; --after goes on.",
  examples: ["<%= config.bin %> review next", "<%= config.bin %> review next --reason random"],
  flags: {
    ...itemFlags(),
    after: Flags.string({
      description: "Id of an item: leave it, and take one that comes after it.",
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
