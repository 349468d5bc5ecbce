import { once } from "node:events";
import { command } from "../command.ts";

export default command({
  summary: "Serve the tools of assistants over standard input and output",
  description:
    "Speaks the Model Context Protocol, for coding assistants that start this command. With its tools, they run tests, learn why a test fails, and read conversations. The key of the profile, or SVC_API_KEY, decides which tools the assistant sees. Messages go to standard error. docs/assistants.md has the settings for each assistant.",
  examples: ["<%= config.bin %> mcp", "SVC_API_KEY=… <%= config.bin %> mcp --url http://127.0.0.1:3100"],
  async run({ startSession, progress }) {
    const session = await startSession();
    progress.clear();
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    const { createMcpServer } = await import("../mcp/server.ts");
    // When the service rejects the key, the command ends here with the reason.
    await session.client.identity.get();
    const create = async () => {
      const { identity } = await session.client.identity.get();
      return createMcpServer(session, { place: "machine", identity });
    };
    const served = serveStdio(create, {
      onerror: (error) => process.stderr.write(`${error.message}\n`),
    });
    await once(process.stdin, "close");
    await served.close?.();
    return undefined;
  },
  show: () => "",
});
