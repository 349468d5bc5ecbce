import { EventEmitter, once } from "node:events";
import type { CallEnd, CallEvent, CallOutcome, LineOrder } from "../../voice/calls/call.ts";
import type { PlacedCall } from "../../voice/calls/media/pool.ts";
import { type AgentLine, type AgentTurn, type HearTurn, type HeardTurn, LineFailure } from "./line.ts";

/** How the caller places a call and speaks, and how its line recognizes the agent's words. */
export type CallerAudio = {
  place: (line: LineOrder, onEvent: (event: CallEvent) => void) => PlacedCall & { recordingFile: string };
  /** Returns the words as sound at `CALL_RATE`; no samples for a text without a word, which is a silent turn. */
  speak: (text: string, signal: AbortSignal) => Promise<Int16Array>;
  /** Transcribes the agent's speech; null without a recognizer, so that the line knows only that the agent spoke. */
  recognize: ((sound: Int16Array, signal: AbortSignal) => Promise<string>) | null;
  /**
   * The caller says this when neither party has spoken for as long as the caller's patience lasts; null when it stays silent.
   */
  reminder: string | null;
};

/** The caller reminds a silent agent this many times in a row; after that the agent counts as silent. */
const REMINDERS_MAX = 2;
/** An agent that greets does so within this time; otherwise the caller speaks first. */
const GREETING_MS = 5_000;
/** After the agent has talked over the caller to the end, the caller waits this long for an answer. */
const ANSWER_AFTER_OVERLAP_MS = 2_000;
/** The transcript of a line that transcribes by itself arrives within this time after the sound. */
const TRANSCRIPT_MS = 1_500;
/** A caller that has heard enough gives the agent this time to end the call itself. */
const FAREWELL_MS = 2_500;
/** The caller listens to the agent's last words for this long. */
const LAST_WORDS_MS = 15_000;
/** A media process has this long to end a call and to measure it, and a recognizer to write down the last words. */
const END_TIMEOUT_MS = 20_000;

/** Speech of the agent; times are milliseconds since the first frame, and `endMs` is null while it lasts. */
type AgentSpeech = { turn: HeardTurn; startMs: number; endMs: number | null; isComplete: boolean; done: () => void };
/** Speech of the caller, in milliseconds since the first frame. */
type Said = Pick<Extract<CallEvent, { kind: "said" }>, "startedMs" | "endedMs">;

/**
 * Creates the line of a call with sound. It takes turns by what it hears: `say` resolves when the agent has finished its answer,
 * or when the persona talks over it.
 */
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
  /** The speech of the agent that the caller may interrupt. */
  let interruptible: AgentSpeech | undefined;
  let transcript = "";

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
    // Words that no recognizer could write down are unknown; the sound and its times count all the same.
    speech.turn.text = await wordsOf(sound).catch(() => null);
    speech.isComplete = true;
    speech.done();
    changes.emit("change");
  }

  async function wordsOf(sound: Int16Array | null): Promise<string | null> {
    if (order.kind === "room") await waitFor(() => transcript.trim() || undefined, closing.signal, TRANSCRIPT_MS);
    const words = transcript.trim();
    transcript = "";
    if (words !== "" || sound === null || callerAudio.recognize === null) return words || null;
    return (await callerAudio.recognize(sound, closing.signal)).trim() || null;
  }

  /** Resolves with the first value that `look` returns, now or after an event; with undefined after `timeoutMs`. */
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

  /** Says the words, after the agent's speech unless the caller may interrupt it. Returns when they are said or the call ended. */
  async function speak(text: string, signal: AbortSignal): Promise<void> {
    const samples = await callerAudio.speak(text, signal);
    if (latest() !== interruptible) await waitFor(() => (latest()?.endMs === null ? ended : true), signal);
    interruptible = undefined;
    isImpatient = false;
    said = undefined;
    if (ended) return;
    const turn: HeardTurn = { role: "caller", text, startedMs: Date.now(), endedMs: Date.now() };
    const done = hear(turn);
    if (samples.length === 0) {
      said = { startedMs: turn.startedMs - startedAtMs!, endedMs: turn.endedMs - startedAtMs! };
      return done();
    }
    call!.say(samples);
    const times = await waitFor(() => said ?? (ended ? null : undefined), signal);
    if (times) Object.assign(turn, { startedMs: timeOf(times.startedMs), endedMs: timeOf(times.endedMs) });
    done();
  }

  /** Waits until the agent has finished its answer, or the caller may talk over it. */
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

  /** Returns whether the agent's speech follows the caller's words, or goes on after them if it began during them. */
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
      : new LineFailure("agent_never_joined", "The agent accepted the call and never spoke.");

  return {
    carriesSound: true,

    async open(signal, hearTurn) {
      hear = hearTurn;
      call = callerAudio.place(order, receive);
      await waitFor(() => startedAtMs ?? ended, signal);
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

/** Returns the agent's turn that ended the call; throws the failure when something else ended it. */
function turnAtEnd({ reason, note, isOurFault }: CallEnd): AgentTurn {
  if (reason === "agent_ended") return { ...SPOKE, ended: true };
  throw new LineFailure(reason, note ?? "The call ended.", isOurFault);
}
