import { command } from "../../command.ts";
import { queueText } from "../../review/review-text.ts";

export default command({
  summary: "Show the review queue: its settings and how much is left to label",
  examples: ["<%= config.bin %> review show"],
  async run({ startSession }) {
    const { client, projectId } = await startSession();
    return (await client.review.queue({ projectId })).queue;
  },
  show: queueText,
});
