import { keysText, turnParts } from "@svc/contract";
import { EventEmitter, once } from "node:events";
import type { CallEnd, CallEvent, CallOutcome, LineOrder } from "../../voice/calls/call.ts";
import type { PlacedCall } from "../../voice/calls/media/pool.ts";
import { type AgentLine, type AgentTurn, type HearTurn, type HeardTurn, LineFailure } from "./line.ts";

export type CallerAudio = {
  place: (line: LineOrder, onEvent: (event: CallEvent) => void) => PlacedCall & { recordingFile: string };
  /** Returns the text as samples at `CALL_RATE`. A text without a word is a silent turn and has no samples. */
  speak: (text: string, signal: AbortSignal) => Promise<Int16Array>;
  /** Null without a recognizer: the text of the agent's turns is then unknown. */
  recognize: ((sound: Int16Array, signal: AbortSignal) => Promise<string>) | null;
  /**
   * Text that the caller says when both parties have been silent for the time of the caller's patience. Null when the caller
   * stays silent.
   */
  reminder: string | null;
  /** Text with which the caller takes a call of an agent that does not speak first. Null when the caller begins with its own words. */
  hello: string | null;
};

/** Number of reminders in a row to a silent agent. When the caller's patience ends once more, the call fails. */
const REMINDERS_MAX = 2;
/** Time in which the agent can begin a greeting. After it, the caller speaks first. */
const GREETING_MS = 5_000;
/** Time in which an agent that called can speak first. After it, the person that it called says hello. */
const HELLO_MS = 1_000;
/** Time to wait for more speech of the agent when the agent's speech began before the caller's words and ended after these words. */
const ANSWER_AFTER_OVERLAP_MS = 2_000;
/** Wait for the transcript of a line that transcribes by itself, after the end of the agent's speech. */
const TRANSCRIPT_MS = 1_500;
/** Time that a caller with a reached goal gives the agent to speak or to end the call. */
const FAREWELL_MS = 2_500;
const LAST_WORDS_MS = 15_000;
/** Longest wait for the end of a call. In this time, the media process measures the call and the recognizer transcribes the last words. */
const END_TIMEOUT_MS = 20_000;

/** Times are milliseconds since the first frame; `endMs` is null while the agent still speaks. */
type AgentSpeech = { turn: HeardTurn; startMs: number; endMs: number | null; isComplete: boolean; done: () => void };
/** Times of the caller's speech, in milliseconds since the first frame. */
type Said = Pick<Extract<CallEvent, { kind: "said" }>, "startedMs" | "endedMs">;

/** `say` resolves when the agent has finished its answer, or when the persona may interrupt the answer. */
export function createCallLine(order: LineOrder, callerAudio: CallerAudio): AgentLine {
  const changes = new EventEmitter();
  const agentSpeech: AgentSpeech[] = [];
  const closing = new AbortController();
  let call: ReturnType<CallerAudio["place"]> | undefined;
  let hear: HearTurn = () => () => {};
  let startedAtMs: number | undefined;
  let ended: CallEnd | undefined;
  let said: Said | undefined;
  let isImpatient = false;
  let interruptible: AgentSpeech | undefined;
  let transcript = "";
  const isIncoming = order.kind === "incoming_call";

  const timeOf = (callMs: number): number => startedAtMs! + callMs;
  const latest = () => agentSpeech.at(-1);

  function receive(event: CallEvent): void {
    switch (event.kind) {
      case "connected":
        ({ startedAtMs } = event);
        break;
      case "agent_started":
        agentStarted(event.atMs);
        break;
      case "agent_stopped":
        void agentStopped(latest()!, event.atMs, event.sound);
        break;
      case "may_interrupt":
        interruptible = latest();
        break;
      case "patience_ended":
        isImpatient = true;
        break;
      case "said":
        said = event;
        break;
      case "pressed":
        agentPressed(event);
        break;
      case "words":
        transcript += event.text;
        break;
      case "ended":
        ended = event;
        if (latest()?.endMs === null) {
          const { atMs, sound } = event.cutOff ?? { atMs: Date.now() - startedAtMs!, sound: null };
          void agentStopped(latest()!, atMs, sound);
        }
        break;
    }
    changes.emit("change");
  }

  function agentStarted(startMs: number): void {
    const turn: HeardTurn = { role: "agent", text: null, startedMs: timeOf(startMs), endedMs: timeOf(startMs) };
    agentSpeech.push({ turn, startMs, endMs: null, isComplete: false, done: hear(turn) });
    isImpatient = false;
  }

  async function agentStopped(speech: AgentSpeech, atMs: number, sound: Int16Array | null): Promise<void> {
    speech.endMs = atMs;
    speech.turn.endedMs = timeOf(atMs);
    // When the recognizer fails, the words are unknown. The turn still counts, with its times.
    speech.turn.text = await wordsOf(sound).catch(() => null);
    speech.isComplete = true;
    speech.done();
    changes.emit("change");
  }

  function agentPressed({ keys, startedMs: startMs, endedMs: endMs }: Extract<CallEvent, { kind: "pressed" }>): void {
    const text = keysText(keys);
    const turn: HeardTurn = { role: "agent", text, startedMs: timeOf(startMs), endedMs: timeOf(endMs) };
    const pressed = { turn, startMs, endMs, isComplete: true, done: hear(turn) };
    // Speech of the agent that has not ended stays the latest.
    agentSpeech.splice(latest()?.endMs === null ? -1 : agentSpeech.length, 0, pressed);
    isImpatient = false;
    pressed.done();
  }

  async function wordsOf(sound: Int16Array | null): Promise<string | null> {
    if (order.kind === "room") await waitFor(() => transcript.trim() || undefined, closing.signal, TRANSCRIPT_MS);
    const words = transcript.trim();
    transcript = "";
    if (words !== "" || sound === null || callerAudio.recognize === null) return words || null;
    return (await callerAudio.recognize(sound, closing.signal)).trim() || null;
  }

  /** Resolves with the first defined value that `look` returns, now or after an event. Resolves with undefined after `timeoutMs`. */
  async function waitFor<T>(
    look: () => T | undefined,
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<T | undefined> {
    const limit = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    for (;;) {
      signal.throwIfAborted();
      const value = look();
      if (value !== undefined || limit.aborted) return value;
      await once(changes, "change", { signal: limit }).catch(() => {});
    }
  }

  /**
   * Says the text when the agent has stopped speaking, or at once when the caller may interrupt the agent. Resolves when the text
   * is said or the call ended.
   */
  async function speak(text: string, signal: AbortSignal): Promise<void> {
    const parts = await Promise.all(
      turnParts(text).map(async (part) => (part.kind === "keys" ? part.keys : callerAudio.speak(part.text, signal))),
    );
    if (latest() !== interruptible) await waitFor(() => (latest()?.endMs === null ? ended : true), signal);
    interruptible = undefined;
    isImpatient = false;
    said = undefined;
    if (ended) return;
    const turn: HeardTurn = { role: "caller", text, startedMs: Date.now(), endedMs: Date.now() };
    const done = hear(turn);
    if (parts.every(({ length }) => length === 0)) {
      said = { startedMs: turn.startedMs - startedAtMs!, endedMs: turn.endedMs - startedAtMs! };
      return done();
    }
    for (const part of parts) {
      if (typeof part === "string") call!.press(part);
      else call!.say(part);
    }
    const times = await waitFor(() => said ?? (ended ? null : undefined), signal);
    if (times) Object.assign(turn, { startedMs: timeOf(times.startedMs), endedMs: timeOf(times.endedMs) });
    done();
  }

  async function listen(signal: AbortSignal): Promise<AgentTurn> {
    for (let reminders = 0; ;) {
      switch (await waitFor(outcome, signal)) {
        case "ended":
          return turnAtEnd(ended!);
        case "answered":
          return SPOKE;
        case "spoke_on": {
          const overlapping = latest();
          const isMore = () => (latest() !== overlapping || ended !== undefined ? true : undefined);
          if (!(await waitFor(isMore, signal, ANSWER_AFTER_OVERLAP_MS))) return SPOKE;
          break;
        }
        case "impatient":
          if (reminders++ === REMINDERS_MAX) throw silence();
          isImpatient = false;
          if (callerAudio.reminder !== null) await speak(callerAudio.reminder, signal);
          break;
      }
    }
  }

  function outcome(): "ended" | "answered" | "spoke_on" | "impatient" | undefined {
    const speech = latest();
    if (speech && isAnswer(speech)) {
      if (speech === interruptible) return "answered";
      if (speech.isComplete) return ended ? "ended" : "answered";
    }
    if (ended) return agentSpeech.every(({ isComplete }) => isComplete) ? "ended" : undefined;
    if (speech?.isComplete && said && speech.startMs < said.startedMs && speech.endMs! > said.endedMs)
      return "spoke_on";
    return isImpatient ? "impatient" : undefined;
  }

  /** An answer began during or after the caller's last words, and ended after them. */
  const isAnswer = ({ startMs, endMs }: AgentSpeech): boolean =>
    said === undefined || (startMs >= said.startedMs && (endMs === null || endMs > said.endedMs));

  const silence = (): LineFailure =>
    agentSpeech.length > 0
      ? new LineFailure(
          "agent_silent",
          callerAudio.reminder === null
            ? "The agent said nothing more while the caller waited."
            : `The agent said nothing more, although the caller asked ${REMINDERS_MAX} times.`,
        )
      : new LineFailure(
          "agent_never_joined",
          isIncoming ? "The agent called and never spoke." : "The agent accepted the call and never spoke.",
        );

  async function reach(signal: AbortSignal, hearTurn: HearTurn): Promise<void> {
    hear = hearTurn;
    call = callerAudio.place(order, receive);
    await waitFor(() => startedAtMs ?? ended, signal);
  }

  async function takeCall(signal: AbortSignal): Promise<AgentTurn | null> {
    if (await waitFor(() => latest() ?? ended, signal, HELLO_MS)) return listen(signal);
    if (callerAudio.hello === null) return null;
    await speak(callerAudio.hello, signal);
    return listen(signal);
  }

  return {
    carriesSound: true,

    ...(isIncoming && { reach }),

    async open(signal, hearTurn) {
      if (!call) await reach(signal, hearTurn);
      if (isIncoming) return takeCall(signal);
      await waitFor(() => latest() ?? ended ?? (isImpatient || undefined), signal, GREETING_MS);
      return latest() || ended ? listen(signal) : null;
    },

    async say(text, signal) {
      await speak(text, signal);
      return listen(signal);
    },

    async partFrom(signal) {
      const before = latest();
      const speaksOrEnds = () => ended ?? (latest() === before ? undefined : latest());
      if ((await waitFor(speaksOrEnds, signal, FAREWELL_MS)) && !ended)
        await waitFor(() => ended ?? (latest()!.isComplete || undefined), signal, LAST_WORDS_MS);
      return ended ? turnAtEnd(ended) : SPOKE;
    },

    async close() {
      if (!call) return;
      call.hangUp();
      await waitFor(
        () => (ended && agentSpeech.every(({ isComplete }) => isComplete) ? true : undefined),
        closing.signal,
        END_TIMEOUT_MS,
      );
      closing.abort();
    },

    outcome: (): CallOutcome | null =>
      call
        ? {
            summary: ended?.summary ?? null,
            recordingFile: call.recordingFile,
            startedAtMs: startedAtMs ?? null,
            recordingError: ended?.recordingError ?? null,
            line: ended?.line ?? null,
          }
        : null,
  };
}

const SPOKE: AgentTurn = { messages: [], toolUses: [], ended: false, transferred: false };

function turnAtEnd({ reason, note, isOurFault }: CallEnd): AgentTurn {
  if (reason === "agent_ended") return { ...SPOKE, ended: true };
  throw new LineFailure(reason, note ?? "The call ended.", isOurFault);
}
