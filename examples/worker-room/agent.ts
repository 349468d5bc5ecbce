// A receptionist of a hotel on LiveKit Agents that needs no key of a provider: its voice is built in, and its answers are a script.
import { cli, defineAgent, inference, type JobContext, llm, voice, WorkerOptions } from "@livekit/agents";
import { monitor_platform_b } from "@svc/worker-helper";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { BuiltInVoice, TurnCounter } from "./offline.ts";

const freeRooms = llm.tool({
  name: "free_rooms",
  description: "The number of free double rooms on a date",
  parameters: z.object({ date: z.string() }),
  execute: async () => ({ free: 0 }),
});

const script = () =>
  new voice.testing.FakeLLM([
    { input: "turn 1", content: "", toolCalls: [{ name: "free_rooms", args: { date: "Friday" } }] },
    { input: '{"free":3}', content: "We have three free rooms on Friday. Shall I book one for you?" },
    { input: '{"free":0}', content: "I am sorry, we are fully booked on Friday." },
    { input: "turn 2", content: "Your room is booked. Goodbye!" },
  ]);

export default defineAgent({
  entry: async (ctx: JobContext) => {
    monitor_platform_b(ctx); // first: it reads SVC_URL and SVC_API_KEY, and the simulation in the metadata of the dispatch
    await ctx.connect();
    const session = new voice.AgentSession({
      vad: new inference.VAD(),
      stt: new TurnCounter(),
      llm: script(),
      tts: new BuiltInVoice(),
      turnDetection: "vad",
    });
    const agent = new voice.Agent({ instructions: "You are a hotel receptionist.", tools: [freeRooms] });
    await session.start({ agent, room: ctx.room, record: false });
    session.say("Hello, hotel Aurora speaking. How can I help you?");
  },
});

cli.runApp(new WorkerOptions({ agent: fileURLToPath(import.meta.url), agentName: "hotel", numIdleProcesses: 1 }));
