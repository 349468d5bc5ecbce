import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { tryConnection, tryProgress, tryText } from "../../agents/connection-try.ts";
import { argument } from "../../flags.ts";
import { connectionIdsOf } from "../../look-up.ts";

export default command({
  summary: "Hold one short conversation over a connection",
  description:
    "The service waits for a greeting, says a message and hears the answer, within 20 seconds. For an incoming call, it first waits 45 seconds at most. It shows what worked, step by step, and stores nothing. The exit code is 1 when the connection does not work.",
  examples: [
    '<%= config.bin %> connections try "Front desk" "HTTP chat endpoint"',
    '<%= config.bin %> connections try "Front desk" con_06ft2v8xk3n9q4w7r1y5z0abcd --message "Is a room free on Friday?"',
    '<%= config.bin %> connections try "Front desk" "HTTP chat endpoint" --message "A room, please." --message "For two nights."',
  ],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  flags: {
    message: Flags.string({
      multiple: true,
      description:
        "Message of the caller; English in a call. Several are said one after the other, each after the agent's answer; a call has one. Default: a greeting.",
    }),
  },
  async run({ args, flags, startSession, progress }) {
    const session = await startSession();
    const ids = await connectionIdsOf(session, args);
    const { connection } = await session.client.connections.get(ids);
    progress.now(tryProgress(connection));
    const [message, ...furtherMessages] = flags.message ?? [];
    return tryConnection(session, { ...ids, message, ...(furtherMessages.length > 0 && { furtherMessages }) });
  },
  show: tryText,
  exitCode: ({ result }) => (result === "fails" ? 1 : 0),
});
