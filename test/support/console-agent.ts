import { fileURLToPath } from "node:url";
import { cli, defineAgent, type JobContext, llm, voice, WorkerOptions } from "@livekit/agents";
import { monitor_platform_b } from "@svc/worker-helper";
import { z } from "zod";
import { SilentTTS } from "./worker-voices.ts";

// An agent on LiveKit Agents, started like this: `node console-agent.ts console --connect-addr …`.

/** What `livekit-agents` 1.8.9 in Python wrote for an entrypoint that threw; its process stays alive. */
const FAILED_JOB = `ERROR livekit.agents unhandled exception while running the job task
Traceback (most recent call last):
ValueError: monitor_platform_b: SVC_API_KEY is not set`;

let job: JobContext | undefined;

const weather = llm.tool({
  name: "get_weather",
  description: "weather lookup",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    const crash = process.env.AGENT_CRASHES ?? "";
    if (crash !== "") console.error(`starting the tool with ${process.env.SVC_API_KEY}`);
    if (crash === "in a tool") process.exit(9);
    if (crash === "by a signal") process.kill(process.pid, "SIGABRT");
    if (crash === "and stays alive") {
      console.error("unhandled exception while running the job task\nError: the calendar is gone");
      job?.shutdown("the entry threw");
    }
    return `${city}: sunny, 21C`;
  },
});

class Clinic extends voice.Agent {
  constructor() {
    super({ instructions: "You are a clinic receptionist.", tools: [weather] });
  }

  override async onEnter(): Promise<void> {
    this.session.say("Hello, clinic speaking.");
  }
}

export default defineAgent({
  entry: async (ctx: JobContext) => {
    if (process.env.AGENT_CRASHES === "before it connects") {
      console.error(FAILED_JOB);
      return new Promise(() => {});
    }
    job = ctx;
    if (process.env.AGENT_UNMONITORED !== "yes") monitor_platform_b(ctx);
    const session = new voice.AgentSession({
      tts: new SilentTTS(),
      llm: new voice.testing.FakeLLM([
        {
          input: "What is the weather in Paris?",
          content: "",
          toolCalls: [{ name: "get_weather", args: { city: "Paris" } }],
        },
        { input: '"Paris: sunny, 21C"', content: "It is sunny in Paris." },
        { input: '"Paris: rain, 8C"', content: "It rains in Paris." },
        { input: "Bye", content: "Goodbye!" },
      ]),
    });
    await session.start({ agent: new Clinic(), room: ctx.room });
    if (process.env.AGENT_HANGS === "yes") process.on("SIGTERM", () => {});
    if (process.env.AGENT_CRASHES === "at the start") setTimeout(() => process.exit(7), 300);
  },
});

cli.runApp(new WorkerOptions({ agent: fileURLToPath(import.meta.url), agentName: "clinic" }));
