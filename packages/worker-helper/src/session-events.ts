import { llm, voice } from "@livekit/agents";
import type { Attributes, Context, Tracer } from "@opentelemetry/api";
import { createSpeechTimes } from "./speech-times.ts";

type OwnSpan = { name: string; startMs: number; endMs: number; attributes: Attributes };

/**
 * Sends spans for session events that the framework's spans lack, for all sessions in this process. The events are the words that a
 * speech-to-speech model recognised, with their times, and the answers that were interrupted. An error in this code never reaches
 * the session.
 */
export function sendSessionEvents(tracer: Tracer, onProblem: (problem: unknown) => void): void {
  const { prototype } = voice.AgentSession;
  const start = prototype.start;
  const heard = new WeakSet<voice.AgentSession>();
  prototype.start = function (this: voice.AgentSession, ...args) {
    try {
      if (!heard.has(this)) listen(this, tracer, onProblem);
      heard.add(this);
    } catch (error) {
      onProblem(error);
    }
    return start.apply(this, args);
  };
}

function listen(session: voice.AgentSession, tracer: Tracer, onProblem: (problem: unknown) => void): void {
  const { UserStateChanged, UserInputTranscribed, ConversationItemAdded, SpeechCreated } = voice.AgentSessionEventTypes;
  const times = createSpeechTimes();
  const awaited = new Map<string, llm.ChatMessage | undefined>();
  let parent: Context | undefined;

  const safely =
    <Event>(listener: (event: Event) => void) =>
    (event: Event): void => {
      try {
        parent = (session as { rootSpanContext?: Context }).rootSpanContext ?? parent;
        listener(event);
      } catch (error) {
        onProblem(error);
      }
    };

  function send({ name, startMs, endMs, attributes }: OwnSpan): void {
    tracer.startSpan(name, { startTime: startMs, attributes }, parent).end(endMs);
  }

  function sendWords({ transcript, itemId, createdAt }: voice.UserInputTranscribedEvent): void {
    const { metrics, transcriptConfidence } = awaited.get(itemId!) ?? {};
    awaited.delete(itemId!);
    const startedAt = metrics?.startedSpeakingAt;
    const isWithheld = isContentWithheld() || Boolean(Reflect.get(session, "_redactionEnabled"));
    send({
      name: "svc.user_transcript",
      ...times.take(createdAt, startedAt === undefined ? undefined : startedAt * 1000),
      attributes: {
        "svc.item_id": itemId!,
        "svc.transcribed_at": createdAt / 1000,
        // The framework sets the confidence to 1 when the model reports none.
        ...(transcriptConfidence !== undefined &&
          transcriptConfidence < 1 && { "svc.transcript_confidence": transcriptConfidence }),
        ...(!isWithheld && { "svc.pii.user_transcript": transcript }),
      },
    });
  }

  session.on(
    UserStateChanged,
    safely(({ oldState, newState, createdAt }) => {
      if (newState === "speaking") times.changed(true, createdAt);
      else if (oldState === "speaking") times.changed(false, createdAt);
    }),
  );
  session.on(
    ConversationItemAdded,
    safely(({ item }) => {
      if (item.type === "message" && awaited.has(item.id)) awaited.set(item.id, item);
    }),
  );
  session.on(
    UserInputTranscribed,
    safely((event) => {
      // Only a speech-to-speech model sets the item's id. The framework's spans already contain the words of a recogniser.
      if (!event.isFinal || !event.itemId || event.transcript.trim() === "") return;
      // The framework adds the message, with the times from the model, in the current task. The microtask runs after that.
      awaited.set(event.itemId, undefined);
      queueMicrotask(() => safely(sendWords)(event));
    }),
  );
  session.on(
    SpeechCreated,
    safely(({ speechHandle, createdAt }) => {
      if (!isSpeechToSpeech(session)) return;
      speechHandle.addDoneCallback(
        safely(() => {
          if (!speechHandle.interrupted) return;
          const attributes = { "svc.speech_id": speechHandle.id };
          send({ name: "svc.speech_interrupted", startMs: createdAt, endMs: Date.now(), attributes });
        }),
      );
    }),
  );
}

function isSpeechToSpeech(session: voice.AgentSession): boolean {
  return session.llm instanceof llm.RealtimeModel || session.currentAgent.llm instanceof llm.RealtimeModel;
}

/**
 * Returns whether the framework's environment variable withholds the conversation's text from spans. The framework accepts the same values.
 */
const isContentWithheld = (): boolean =>
  /^(0|false|no|off)$/i.test(process.env.LIVEKIT_TELEMETRY_ALLOW_PII?.trim() ?? "");
