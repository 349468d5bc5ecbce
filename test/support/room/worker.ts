import { fileURLToPath } from "node:url";
import { cli, defineAgent, inference, type JobContext, llm, voice, WorkerOptions } from "@livekit/agents";
import { monitor_platform_b } from "@svc/worker-helper";
import { z } from "zod";
import { BuiltInVoice, TurnCounter } from "../../../examples/worker-room/offline.ts";

// A worker whose agents behave as the metadata of their dispatch says: `node worker.ts start`.

const freeRooms = llm.tool({
  name: "free_rooms",
  description: "The number of free rooms on a date",
  parameters: z.object({ date: z.string() }),
  execute: async () => ({ free: 0 }),
});
const LONG =
  "We have a double room with a view of the sea, a double room with a view of the garden, and a single room under the roof. Breakfast is included in all of them, and the parking is free of charge. Which of them would you like?";

const BEHAVIORS: Record<string, (ctx: JobContext, session: voice.AgentSession) => void> = {
  answers: (_ctx, session) => void session.say("Hello, hotel Aurora speaking."),
  silent: (_ctx, session) => session.input.setAudioEnabled(false),
  leaves: (ctx, session) => {
    void session
      .say("We are closed. Goodbye.")
      .waitForPlayout()
      .then(() => ctx.shutdown("the agent hangs up"));
  },
  crashes: (_ctx, session) => {
    void session
      .say("Hello, please wait a moment.")
      .waitForPlayout()
      .then(() => process.kill(process.pid, "SIGKILL"));
  },
  refuses: () => process.exit(3),
};

export default defineAgent({
  entry: async (ctx: JobContext) => {
    const { behavior = "answers" } = JSON.parse(ctx.job.metadata || "{}") as { behavior?: string };
    monitor_platform_b(ctx);
    await ctx.connect();
    const session = new voice.AgentSession({
      vad: new inference.VAD(),
      stt: new TurnCounter(),
      llm: new voice.testing.FakeLLM([
        { input: "turn 1", content: "", toolCalls: [{ name: "free_rooms", args: { date: "Friday" } }] },
        { input: '{"free":3}', content: LONG },
        { input: '{"free":0}', content: "We are fully booked." },
        { input: "turn 2", content: "Your room is booked. Goodbye!" },
      ]),
      tts: new BuiltInVoice(),
      turnDetection: "vad",
    });
    const agent = new voice.Agent({ instructions: "You are a hotel receptionist.", tools: [freeRooms] });
    await session.start({ agent, room: ctx.room, record: false });
    BEHAVIORS[behavior]!(ctx, session);
  },
});

const { AGENT_NAME = "hotel", WORKER_LOAD = "0.1" } = process.env;
cli.runApp(
  new WorkerOptions({
    agent: fileURLToPath(import.meta.url),
    agentName: AGENT_NAME,
    port: 0,
    numIdleProcesses: 1,
    loadFunc: async () => Number(WORKER_LOAD),
    initializeProcessTimeout: 60_000,
  }),
);
