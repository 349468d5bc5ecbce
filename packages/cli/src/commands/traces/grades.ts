import { argument, command } from "../../command.ts";
import { gradeText } from "../../grade-text.ts";

export default command({
  description: "Turns and tool calls are counted from 0. The last line of each is its id, for `svc graders label`.",
  examples: ["<%= config.bin %> traces grades e87a0e1465e1d06e8d979e00fd1fec2a"],
  args: { id: argument("Id of the conversation's trace, from `svc traces list`.") },
  async run({ args, connect }) {
    const { client, project: projectId } = await connect();
    return client.grades.ofTrace({ traceId: args.id, projectId });
  },
  show: ({ grades }) =>
    grades.length > 0
      ? grades.map(gradeText).join("\n")
      : "Nothing graded this conversation. Graders take production conversations once they are over: svc graders create --scope production",
});
