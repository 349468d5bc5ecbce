import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { gradeText } from "../../graders/grade-text.ts";

export default command({
  summary: "Show the grades of a conversation",
  description:
    "Turns and tool calls are numbered from 0. The last line of each grade is its id, for `svc graders label`.",
  examples: ["<%= config.bin %> traces grades e87a0e1465e1d06e8d979e00fd1fec2a"],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  async run({ args, startSession }) {
    const { client, projectId } = await startSession();
    return client.grades.ofTrace({ traceId: args.id, projectId });
  },
  show: ({ grades }) =>
    grades.length > 0
      ? grades.map(gradeText).join("\n")
      : "This conversation has no grades. Graders grade production conversations after they end. To create a grader: svc graders create --scope production",
});
