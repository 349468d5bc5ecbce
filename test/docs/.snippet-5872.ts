import { defineAgent, voice } from "@livekit/agents";
import { monitor_platform_b } from "@svc/worker-helper";

export default defineAgent({
  entry: async (ctx) => {
    monitor_platform_b(ctx); // before the session starts
    await ctx.connect();
    const session = new voice.AgentSession({ llm: "openai/gpt-4.1-mini" });
    await session.start({ agent: new voice.Agent({ instructions: "Be brief." }), room: ctx.room });
  },
});
