import { command } from "../../command.ts";
import { askPlatformKey } from "../../monitoring/platform-key.ts";
import { table } from "../../output.ts";

export default command({
  description:
    "The voice agents that a platform_a key reads. Nothing is saved. The key comes from SVC_PLATFORM_A_API_KEY, a hidden prompt or standard input.",
  examples: ["<%= config.bin %> monitoring discover", "<%= config.bin %> monitoring discover < key.txt"],
  async run({ connect }) {
    const api_key = await askPlatformKey();
    const { client, project } = await connect();
    return client.monitoring.discover({ api_key, project });
  },
  show: ({ agents }) =>
    table(
      agents,
      [
        { title: "id", cell: ({ id }) => id },
        { title: "name", cell: ({ name }) => name },
      ],
      "The key reads no voice agents: make one on the platform, or use another key.",
    ),
});
