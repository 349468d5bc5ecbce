import { createInterface } from "node:readline/promises";
import type { ConnectionTry } from "@svc/contract";
import { command } from "../../command.ts";
import { isInWriting, spokenLines, tryConnection } from "../../agents/connection-try.ts";
import { argument } from "../../flags.ts";
import { connectionIdsOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";
import { isInteractive } from "../../terminal/prompt.ts";
import { clean } from "../../terminal/terminal-text.ts";

export default command({
  summary: "Talk to an agent in writing",
  description:
    "Each line that you type is a message of the caller, all in one conversation. The command prints what the agent says and the tools that it calls. An empty line or the end of the input ends the conversation. Nothing is stored. The exit code is 1 when the connection fails.",
  examples: [
    '<%= config.bin %> connections talk "Front desk" "HTTP chat endpoint"',
    'printf "A room, please.\\nFor two nights.\\n" | <%= config.bin %> connections talk "Front desk" "HTTP chat endpoint"',
  ],
  args: {
    agent: argument("Id or exact name of the agent."),
    connection: argument("Id or exact name of the connection."),
  },
  async run({ args, flags, startSession, progress, note }) {
    const session = await startSession();
    const ids = await connectionIdsOf(session, args);
    const { connection } = await session.client.connections.get(ids);
    if (!isInWriting(connection))
      throw usage("This connection carries sound. To call the agent once: svc connections try AGENT CONNECTION");
    progress.clear();
    if (isInteractive()) note("Type what the caller says. An empty line ends the conversation.");
    const answers: ConnectionTry[] = [];
    const lines = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: isInteractive(),
      prompt: "> ",
    });
    const prompt = () => isInteractive() && lines.prompt();
    let conversationId: string | undefined;
    const say = async (message: string | undefined) => {
      const staysOpen = message !== undefined;
      const one = await tryConnection(session, { ...ids, message, staysOpen, conversationId });
      conversationId = one.openConversation?.id;
      answers.push(one);
      const said = one.result === "works" ? spokenLines(one) : [...spokenLines(one), one.message];
      if (!flags.json && said.length > 0) process.stdout.write(`${clean(said.join("\n"))}\n`);
    };
    prompt();
    for await (const line of lines) {
      if (line.trim() === "") break;
      await say(line.trim());
      if (conversationId === undefined) break;
      prompt();
    }
    lines.close();
    if (conversationId !== undefined) await say(undefined);
    else if (answers.at(-1)?.result === "works") note("The conversation has ended.");
    return { answers };
  },
  show: () => "",
  exitCode: ({ answers }) => (answers.every(({ result }) => result === "works") ? 0 : 1),
});
