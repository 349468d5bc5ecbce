import { Args } from "@oclif/core";
import { platformName } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { yesFlag } from "../../flags.ts";

export default command({
  summary: "Stop monitoring a platform",
  description:
    "Removes the setup and its key, and imports no further calls. Imported conversations stay. A worker on LiveKit Agents sends until you remove the helper from its code or revoke its key. Asks for confirmation.",
  examples: [
    "<%= config.bin %> monitoring disconnect platform_a",
    "<%= config.bin %> monitoring disconnect platform_b-agents --yes",
  ],
  args: {
    platform: Args.string({
      description: "Platform of the setup, from `svc monitoring status`.",
      options: ["platform_a", "platform_b-agents"],
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: { yes: yesFlag() },
  async run(invocation) {
    const { platform } = invocation.args;
    const { client, projectId: project } = await invocation.startSession();
    await invocation.confirm(`Stop monitoring ${platformName(platform)}?`);
    await client.monitoring.remove({ platform, project });
    return { disconnected: platform };
  },
  show: ({ disconnected }) => `${platformName(disconnected)} is no longer monitored. Its conversations stay.`,
});
