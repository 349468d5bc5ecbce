// The agent under test for bench/runs.ts, which answers at once.
import { startChatAgent } from "../test/support/chat-agent.ts";

const agent = await startChatAgent(({ event, message }) =>
  event === "start" ? {} : { message: `You said: ${message}` },
);
process.on("disconnect", agent.stop);
process.send!(agent.url);
