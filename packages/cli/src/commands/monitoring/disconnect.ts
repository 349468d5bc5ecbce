import { Args } from "@oclif/core";
import { command, yesFlag } from "../../command.ts";

export default command({
  description:
    "Removes the setup with its key, and no call is fetched any more. Conversations stay. A worker on platform_b goes on sending until its code or its key is taken away. Asks first.",
  examples: [
    "<%= config.bin %> monitoring disconnect platform_a",
    "<%= config.bin %> monitoring disconnect platform_b-agents --yes",
  ],
  args: {
    platform: Args.string({
      description: "Which setup of `svc monitoring status`.",
      options: ["platform_a", "platform_b-agents"],
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: { yes: yesFlag() },
  async run(call) {
    const { platform } = call.args;
    const { client, project } = await call.connect();
    await call.confirm(`Stop monitoring ${platform}?`);
    await client.monitoring.remove({ platform, project });
    return { disconnected: platform };
  },
  show: ({ disconnected }) => `${disconnected} is no longer monitored; its conversations stay.`,
});
