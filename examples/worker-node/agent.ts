import { cli, defineAgent, type JobContext, llm, voice, WorkerOptions } from "@livekit/agents";
import { monitor_platform_b } from "@svc/worker-helper";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const openingHours = llm.tool({
  name: "opening_hours",
  description: "The clinic's opening hours on a day of the week",
  parameters: z.object({ day: z.string() }),
  execute: async ({ day }) => (day === "Sunday" ? "closed" : "8:00 to 18:00"),
});

export default defineAgent({
  entry: async (ctx: JobContext) => {
    monitor_platform_b(ctx); // before the session starts: reads SVC_URL and SVC_API_KEY

    await ctx.connect();
    const session = new voice.AgentSession({
      stt: "deepgram/nova-3",
      llm: "openai/gpt-4.1-mini",
      tts: "cartesia/sonic-3",
    });
    const agent = new voice.Agent({ instructions: "You are a clinic receptionist. Be brief.", tools: [openingHours] });
    await session.start({ agent, room: ctx.room });
    session.say("Hello, clinic speaking. How can I help?");
  },
});

cli.runApp(new WorkerOptions({ agent: fileURLToPath(import.meta.url), agentName: "clinic" }));
