import { argument, command } from "../../command.ts";

export default command({
  description: "Reads exactly the call that failed, however old it is. A conversation is never written twice.",
  examples: ["<%= config.bin %> monitoring replay rif_06ft2v8xk3n9q4w7r1y5z0abcd"],
  args: { id: argument("Id of the failure, from `svc monitoring status`.") },
  async run({ args, connect }) {
    const { client, project } = await connect();
    return client.monitoring.replay({ failureId: args.id, project });
  },
  show: ({ failure, trace }) =>
    `${failure.id} is resolved; the conversation ${trace.write === "written" ? "was written" : "was there already"}: svc traces show ${trace.id}`,
});
