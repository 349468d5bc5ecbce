import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Take a conversation out of the review queue without a label",
  description: "The conversation leaves the queue for everybody. A later label marks its item as done.",
  examples: ["<%= config.bin %> review skip rvi_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { item: argument("Id of the item, from `svc review next`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return client.review.skip({ reviewItemId: args.item, projectId });
  },
  show: () => "Skipped. To go on: svc review next",
});
