import type { AgentLine } from "./line.ts";
import type { ToolCallback } from "./tool-callbacks.ts";

/** Returns the line of a call whose agent calls mocked tools at the service; each answer has the tool calls before it. */
export function callWithTools(line: AgentLine, callback: ToolCallback): AgentLine {
  const withTools = <Turn extends object | null>(turn: Turn): Turn => turn && { ...turn, toolUses: callback.take() };
  return {
    ...line,
    callsToolsBack: true,
    open: async (signal, hear) => withTools(await line.open(signal, hear)),
    say: async (text, signal, hear) => withTools(await line.say(text, signal, hear)),
    partFrom: async (signal) => withTools(await line.partFrom!(signal)),
    async close() {
      callback.end();
      await line.close();
    },
  };
}
