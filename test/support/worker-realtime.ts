import { ReadableStream } from "node:stream/web";
import { llm, voice } from "@livekit/agents";
import type { AudioFrame } from "@livekit/rtc-node";
import { until } from "./until.ts";
import { listenTo, type SessionTruth } from "./worker-clinic.ts";
import { MutedSpeaker, QuietMic, silentFrame } from "./worker-voices.ts";

type Turn = { itemId: string; words: string; answer: string; answerMs: number };

/** The second answer is interrupted by the third turn, whose words arrive when the third answer has begun. */
const TURNS: Turn[] = [
  { itemId: "item_1", words: "What is the weather in Paris?", answer: "It is sunny in Paris.", answerMs: 600 },
  {
    itemId: "item_2",
    words: "Tell me a long story",
    answer: "Once upon a time there was a long story.",
    answerMs: 8000,
  },
  { itemId: "item_3", words: "stop please", answer: "Sure.", answerMs: 400 },
];
const ITEMS = 6;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function streamOf<Item>(...items: Item[]): ReadableStream<Item> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });
}

/** A speech-to-speech model that hears the scripted turns, whatever the audio is. */
class ScriptedRealtimeModel extends llm.RealtimeModel {
  readonly turns: Turn[];

  constructor(turns: Turn[]) {
    super({
      messageTruncation: true,
      turnDetection: true,
      userTranscription: true,
      autoToolReplyGeneration: false,
      audioOutput: true,
      manualFunctionCalls: false,
    });
    this.turns = turns;
  }

  get model(): string {
    return "scripted-realtime";
  }

  session(): llm.RealtimeSession {
    return new ScriptedRealtimeSession(this);
  }

  async close(): Promise<void> {}
}

class ScriptedRealtimeSession extends llm.RealtimeSession {
  private context = llm.ChatContext.empty();
  private toolContext = llm.ToolContext.empty();
  private script: Promise<void> | undefined;
  private isClosed = false;

  get chatCtx(): llm.ChatContext {
    return this.context;
  }
  get tools(): llm.ToolContext {
    return this.toolContext;
  }
  async updateInstructions(): Promise<void> {}
  async updateChatCtx(context: llm.ChatContext): Promise<void> {
    this.context = context.copy();
  }
  async updateTools(tools: llm.ToolContext): Promise<void> {
    this.toolContext = tools;
  }
  updateOptions(): void {}
  async commitAudio(): Promise<void> {}
  async clearAudio(): Promise<void> {}
  async interrupt(): Promise<void> {}
  async truncate(): Promise<void> {}
  async generateReply(): Promise<never> {
    throw new Error("this model only answers speech");
  }
  override async close(): Promise<void> {
    this.isClosed = true;
    await super.close();
  }

  pushAudio(): void {
    this.script ??= this.play((this.realtimeModel as ScriptedRealtimeModel).turns);
  }

  private async play(turns: Turn[]): Promise<void> {
    for (const turn of turns) {
      await sleep(700);
      if (this.isClosed) return;
      this.emit("input_speech_started", {});
      await sleep(500);
      this.emit("input_speech_stopped", { userTranscriptionEnabled: true });
      await sleep(150);
      this.emit("generation_created", {
        messageStream: streamOf({
          messageId: `answer_${turn.itemId}`,
          textStream: streamOf(turn.answer),
          audioStream: streamOf<AudioFrame>(
            ...Array.from({ length: turn.answerMs / 20 }, () => silentFrame(20, 24_000)),
          ),
          modalities: Promise.resolve(["audio", "text"] as ("text" | "audio")[]),
        }),
        functionStream: streamOf<llm.FunctionCall>(),
        userInitiated: false,
        responseId: `response_${turn.itemId}`,
      });
      await sleep(300);
      this.emit("input_audio_transcription_completed", { itemId: turn.itemId, transcript: turn.words, isFinal: true });
      await sleep(600);
    }
  }
}

/** Plays a call with a speech-to-speech model: three turns, and an answer that the user interrupts. */
export async function realtimeCall(): Promise<SessionTruth> {
  const session = new voice.AgentSession({ llm: new ScriptedRealtimeModel(TURNS) });
  const truth = listenTo(session);
  const mic = new QuietMic();
  session.input.audio = mic;
  session.output.audio = new MutedSpeaker();
  await session.start({ agent: new voice.Agent({ instructions: "You are a clinic receptionist." }) });
  await until("the last answer", () => truth.items.length === ITEMS, 25_000);
  await mic.close().catch(() => {});
  await session.close();
  return truth;
}
