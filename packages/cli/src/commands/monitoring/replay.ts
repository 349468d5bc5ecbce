import { command } from "../../command.ts";
import { argument } from "../../flags.ts";

export default command({
  summary: "Try a failed import again",
  description:
    "Reads the failed call from the platform again, however old it is. The service stores each conversation once.",
  examples: ["<%= config.bin %> monitoring replay rif_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the failure, from `svc monitoring status`.") },
  async run({ args, startSession }) {
    const { client, projectId: project } = await startSession();
    return client.monitoring.replay({ failureId: args.id, project });
  },
  show: ({ failure, trace }) =>
    `${failure.id} is resolved. The conversation ${trace.write === "written" ? "is now stored" : "was already stored"}. To see it: svc traces show ${trace.id}`,
});
