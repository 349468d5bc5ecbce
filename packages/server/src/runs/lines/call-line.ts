import type { CallEnd, CallEvent, CallOrder, CallOutcome, LineOrder } from "../../calls/call.ts";
import type { PlacedCall } from "../../calls/media/pool.ts";
import { type AgentLine, type AgentTurn, type HearTurn, type HeardTurn, LineFailure } from "./line.ts";

/** The caller's way to place a call: its voice, its ears and its manners. */
export type Telephone = {
  place: (line: LineOrder, onEvent: (event: CallEvent) => void) => Promise<PlacedCall & { recordingFile: string }>;
  /** Returns the words as sound at `CALL_RATE`. */
  speak: (text: string, signal: AbortSignal) => Promise<Int16Array>;
  /** Writes down the agent's words; null without a recognizer, and then the line knows only that the agent spoke. */
  recognize: ((sound: Int16Array, signal: AbortSignal) => Promise<string>) | null;
};

export type TurnTakingOrder = CallOrder["turnTaking"];

/** The caller says this when neither party spoke for the caller's patience, at most `REMINDERS_MAX` times in a row. */
const REMINDER = "Hello? Are you still there?";
const REMINDERS_MAX = 2;

/** A media process has this long to end a call and to analyse it. */
const END_TIMEOUT_MS = 20_000;

/** Creates the line of a call with sound. It takes turns by what it hears, and reports every turn with its times. */
export function createCallLine(order: LineOrder, telephone: Telephone): AgentLine {
  const events: CallEvent[] = [];
  let wake = () => {};
  let call: Awaited<ReturnType<Telephone["place"]>> | undefined;
  let ended: CallEnd | undefined;
  let startedAtMs = 0;
  let hasHeardAgent = false;
  /** The agent's turn over which the caller speaks. */
  let interrupted: HeardTurn | null = null;
  /** Words of the line's own transcription that belong to no turn yet. */
  let words: string[] = [];

  const timeOf = (callMs: number) => startedAtMs + callMs;

  function receive(event: CallEvent): void {
    if (event.kind === "connected") ({ startedAtMs } = event);
    if (event.kind === "ended") ended = event;
    if (event.kind === "agent_started") hasHeardAgent = true;
    if (event.kind === "words") words.push(event.text);
    else events.push(event);
    wake();
  }

  /** Returns the next event; an ended call has no other event than its end. */
  async function next(signal: AbortSignal): Promise<CallEvent> {
    for (;;) {
      signal.throwIfAborted();
      const event = events.shift() ?? ended;
      if (event) return event;
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  /** Says the words and returns when the caller has said them; the agent may have started to answer. */
  async function speak(text: string, signal: AbortSignal, hear: HearTurn): Promise<CallEnd | undefined> {
    call!.say(await telephone.speak(text, signal));
    const waiting: CallEvent[] = [];
    for (;;) {
      const event = await next(signal);
      if (event.kind === "ended") return event;
      if (event.kind === "said") {
        hear({ role: "caller", text, startedMs: timeOf(event.startedMs), endedMs: timeOf(event.endedMs) });
        events.unshift(...waiting);
        return undefined;
      }
      if (event.kind !== "patience_ended" && event.kind !== "may_interrupt") waiting.push(event);
    }
  }

  async function wordsOf(sound: Int16Array | null, signal: AbortSignal): Promise<string | null> {
    const transcribed = words.splice(0).join(" ").trim();
    if (transcribed !== "") return transcribed;
    if (!sound || !telephone.recognize) return null;
    return (await telephone.recognize(sound, signal)).trim() || null;
  }

  /** Waits until the agent has finished its turn, or the caller may talk over it. */
  async function listen(signal: AbortSignal, hear: HearTurn, saidAtMs: number): Promise<AgentTurn | null> {
    for (let reminders = 0; ;) {
      const event = await next(signal);
      switch (event.kind) {
        case "agent_stopped": {
          const text = await wordsOf(event.sound, signal);
          if (interrupted) {
            const turn = interrupted;
            interrupted = null;
            Object.assign(turn, { text, endedMs: timeOf(event.atMs) });
            // An agent that stopped for the caller still has to answer; one that spoke on has had its turn.
            if (timeOf(event.atMs) <= saidAtMs) continue;
            return SPOKE;
          }
          hear({ role: "agent", text, startedMs: timeOf(event.startedMs), endedMs: timeOf(event.atMs) });
          return SPOKE;
        }
        case "may_interrupt":
          interrupted = {
            role: "agent",
            text: null,
            startedMs: timeOf(event.startedMs),
            endedMs: timeOf(event.atMs),
          };
          hear(interrupted);
          return SPOKE;
        case "patience_ended": {
          if (!hasHeardAgent && saidAtMs === 0) return null;
          if (reminders++ === REMINDERS_MAX) throw silence();
          const end = await speak(REMINDER, signal, hear);
          if (end) return turnAtEnd(end);
          continue;
        }
        case "ended":
          return turnAtEnd(event);
        default:
          continue;
      }
    }
  }

  function silence(): LineFailure {
    return hasHeardAgent
      ? new LineFailure(
          "agent_silent",
          "The agent said nothing more, also when the caller asked twice whether it was there.",
        )
      : new LineFailure("agent_never_joined", "The agent's line was open, but the agent never made a sound.");
  }

  return {
    carriesSound: true,

    async open(signal, hear) {
      call = await telephone.place(order, receive);
      for (;;) {
        const event = await next(signal);
        if (event.kind === "ended") return turnAtEnd(event);
        if (event.kind === "connected") return listen(signal, hear, 0);
      }
    },

    async say(text, signal, hear) {
      const end = await speak(text, signal, hear);
      return end ? turnAtEnd(end) : (await listen(signal, hear, Date.now()))!;
    },

    async close() {
      if (!call) return;
      call.hangUp();
      const limit = AbortSignal.timeout(END_TIMEOUT_MS);
      const untilEnd = async (): Promise<void> => {
        if ((await next(limit)).kind !== "ended") return untilEnd();
      };
      await untilEnd().catch(() => {});
    },

    outcome: (): CallOutcome | null =>
      call
        ? {
            summary: ended?.summary ?? null,
            recordingFile: call.recordingFile,
            startedAtMs: startedAtMs === 0 ? null : startedAtMs,
            recordingError: ended?.recordingError ?? null,
          }
        : null,
  };
}

const SPOKE: AgentTurn = { messages: [], toolUses: [], ended: false, transferred: false };

/** Returns the agent's turn that ended the call; throws the failure when something else ended it. */
function turnAtEnd({ reason, note, isOurFault }: CallEnd): AgentTurn {
  if (reason === "agent_ended") return { ...SPOKE, ended: true };
  throw new LineFailure(reason, note ?? "The call ended.", isOurFault);
}
