import { command } from "../../command.ts";
import { askPlatformKey } from "../../monitoring/platform-key.ts";
import { table, wholeIdColumn } from "../../terminal/output.ts";

export default command({
  summary: "List the voice agents that a key of Retell can read",
  description:
    "The service does not save the key. The key comes from SVC_PLATFORM_A_API_KEY, a hidden prompt or standard input.",
  examples: ["<%= config.bin %> monitoring discover", "<%= config.bin %> monitoring discover < key.txt"],
  async run({ startSession }) {
    const api_key = await askPlatformKey();
    const { client, projectId: project } = await startSession();
    return client.monitoring.discover({ api_key, project });
  },
  show: ({ agents }) =>
    table(
      agents,
      [{ title: "name", cell: ({ name }) => name, cut: true }, wholeIdColumn],
      "The key can read no voice agents. Create one on the platform, or use another key.",
    ),
});
