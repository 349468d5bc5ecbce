import { llm, stt, voice } from "@livekit/agents";
import { z } from "zod";
import { until } from "./until.ts";
import { MutedSpeaker, QuietMic, ScriptedVAD, SilentTTS } from "./worker-voices.ts";

/** A message of the conversation as the session itself reports it. Specs compare it with the received conversation. */
export type SessionItem = {
  role: string;
  text: string | null;
  interrupted: boolean;
  metrics: Record<string, number>;
};
type SessionToolCall = { id: string; name: string; args: string; output: string; isError: boolean };
export type SessionTruth = { items: SessionItem[]; tools: SessionToolCall[] };

const STORY =
  "Once upon a time there was a very long story which went on and on and never seemed to end at all, really.";

const SPEECHES = [
  { startTime: 800, endTime: 1500, transcript: "What is the weather in Paris?", sttDelay: 100 },
  { startTime: 4600, endTime: 5200, transcript: "Tell me a long story", sttDelay: 100 },
  { startTime: 6600, endTime: 7300, transcript: "stop please I want to book Tuesday", sttDelay: 100 },
];
/** The number of messages in the voice call: a greeting, three questions and three answers. */
const VOICE_ITEMS = 7;

const weather = { name: "get_weather", args: { city: "Paris" } };
const answers = () =>
  new voice.testing.FakeLLM([
    { input: "What is the weather in Paris?", content: "", toolCalls: [weather], ttft: 60, duration: 90 },
    { input: '"Paris: sunny, 21C"', content: "It is sunny and 21 degrees in Paris.", ttft: 60, duration: 90 },
    { input: "Tell me a long story", content: STORY, ttft: 50, duration: 80 },
    { input: "stop please I want to book Tuesday", content: "Sure, Tuesday it is.", ttft: 50, duration: 80 },
    { input: "Book me for Tuesday", content: "", toolCalls: [{ name: "book", args: { day: "Tuesday" } }] },
    { input: '"slot is taken"', content: "Sorry, that slot is taken." },
    { input: "slot is taken", content: "Sorry, that slot is taken." },
    { input: '"booked"', content: "Booked for Tuesday." },
    { input: "Bye", content: "Goodbye!" },
  ]);

class Clinic extends voice.Agent {
  private readonly greeting: string | undefined;

  constructor(greeting?: string) {
    const getWeather = {
      description: "weather lookup",
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }: { city: string }) => `${city}: sunny, 21C`,
    };
    const book = {
      description: "book a slot",
      parameters: z.object({ day: z.string() }),
      execute: async () => {
        throw new llm.ToolError("slot is taken");
      },
    };
    super({
      instructions: "You are a clinic receptionist.",
      tools: toolsOf({ get_weather: getWeather, book }) as never,
    });
    this.greeting = greeting;
  }

  override async onEnter(): Promise<void> {
    if (this.greeting !== undefined) this.session.say(this.greeting);
  }
}

/** Returns the tools as an object by name for the oldest versions, and as a list for the newest. */
function toolsOf(tools: Record<string, object>): unknown {
  const named = Object.entries(tools).map(([name, tool]) => llm.tool({ name, ...tool } as never));
  return named.every((tool) => "name" in (tool as object)) ? named : tools;
}

export function listenTo(session: voice.AgentSession): SessionTruth {
  const truth: SessionTruth = { items: [], tools: [] };
  session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
    if (item.type !== "message") return;
    const metrics = item.metrics as unknown as Record<string, number>;
    truth.items.push({ role: item.role, text: item.textContent ?? null, interrupted: item.interrupted, metrics });
  });
  session.on(voice.AgentSessionEventTypes.FunctionToolsExecuted, (event) => {
    event.functionCalls.forEach((call, i) => {
      const output = event.functionCallOutputs[i];
      truth.tools.push({
        id: call.callId,
        name: call.name,
        args: call.args,
        output: output?.output ?? "",
        isError: output?.isError ?? false,
      });
    });
  });
  return truth;
}

/** Plays a voice call with a greeting, three user turns, a tool call, and an answer that the user interrupts. */
export async function voiceCall(): Promise<SessionTruth> {
  const session = new voice.AgentSession({
    llm: answers(),
    stt: new stt.testing.FakeSTT({ fakeUserSpeeches: SPEECHES, capabilities: { interimResults: true } } as never),
    vad: new ScriptedVAD(SPEECHES),
    tts: new SilentTTS(),
    turnHandling: {
      turnDetection: "vad",
      endpointing: { minDelay: 200, maxDelay: 1000 },
      interruption: { mode: "vad", minDuration: 200, minWords: 0 },
      preemptiveGeneration: { enabled: false },
    },
  });
  const truth = listenTo(session);
  const mic = new QuietMic();
  session.input.audio = mic;
  session.output.audio = new MutedSpeaker();
  await session.start({ agent: new Clinic("Hello, clinic speaking.") });
  await until("the last answer", () => truth.items.length === VOICE_ITEMS, 25_000);
  await mic.close().catch(() => {});
  await session.close();
  return truth;
}

const TEXTS = ["What is the weather in Paris?", "Book me for Tuesday", "Bye"];

/** Plays a typed call with a tool call, a failing tool call and a goodbye. `between` runs before each turn. */
export async function textCall(between: (turn: number) => Promise<void> = async () => {}): Promise<SessionTruth> {
  const session = new voice.AgentSession({ llm: answers() });
  const truth = listenTo(session);
  await session.start({ agent: new Clinic() });
  for (const [turn, userInput] of TEXTS.entries()) {
    await between(turn);
    await session.run({ userInput }).wait();
  }
  await session.close();
  return truth;
}
