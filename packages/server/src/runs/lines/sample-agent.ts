import { createBookingAgent } from "./booking-agent.ts";
import type { LineType } from "./line-type.ts";
import type { ToolUse } from "./line.ts";

/** The sample agent that ships with the service. It runs in the service itself, so that no address leads to it. */
export const sampleAgent: LineType = {
  async createLine({ mockedTools }) {
    const agent = createBookingAgent();
    return {
      open: async () => ({ messages: [agent.greeting], toolUses: [], ended: false, transferred: false }),
      async say(text, signal) {
        const toolUses: ToolUse[] = [];
        const { message, ended = false } = await agent.answer(text, async (name, args) => {
          const use = await mockedTools.use({ id: null, name, arguments: args }, signal);
          toolUses.push(use);
          return use;
        });
        return { messages: [message], toolUses, ended, transferred: false };
      },
      close: async () => {},
    };
  },
  toolsVisible: () => true,
  sendsOwnSpans: false,
  carriesSound: false,
};
