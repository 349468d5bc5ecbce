import { CALL_RATE, FRAME_MS, joined } from "../../audio/audio.ts";
import { createVoiceActivity } from "../../audio/voice-activity.ts";
import { CallFailure, type CallEnd, type CallEvent, type CallOrder, type MediaLineEvents } from "../call.ts";
import { createLine } from "../lines/create-line.ts";
import { createCallerSound } from "./caller-sound.ts";
import { type FrameClock, FRAME_GAP_MAX_MS, startFrameClock } from "./frame-clock.ts";
import { startRecorder } from "./recorder.ts";
import { createCallHearing } from "../heard/call-hearing.ts";
import { createTurnTaker } from "./turn-taking.ts";

/** Sound shorter than this is no speech of the agent. */
const SPEECH_MIN_MS = 60;

/** The sound of one agent's turn that a recognizer gets at most. */
const TURN_SOUND_MAX_MS = 120_000;

/** One call inside a media process. */
export type CallInProgress = {
  say: (samples: Int16Array) => void;
  hangUp: () => void;
};

type Ending = Pick<CallEnd, "reason" | "note">;

/** Places a call and reports its events; the last one is `ended`. */
export function placeCall(order: CallOrder, report: (event: CallEvent) => void): CallInProgress {
  const abort = new AbortController();
  const caller = createCallerSound(order.surroundings, order.seed);
  let isEnding = false;
  let clock: FrameClock | undefined;
  let end: (ending: Ending) => void;
  const ended = new Promise<Ending>((resolve) => (end = resolve));
  const events: MediaLineEvents = {
    words: (text) => report({ kind: "words", text }),
    ended: (reason, note) => end({ reason, note }),
  };
  const line = createLine(order.line, order.callId, events);

  async function run(): Promise<void> {
    try {
      await Promise.race([line.connect(abort.signal), ended.then(({ reason, note }) => refuse(reason, note))]);
    } catch (error) {
      const { reason, message } = error as CallFailure;
      await line.close();
      return finish(
        { reason: reason ?? "simulator_error", note: message },
        null,
        null,
        !(error instanceof CallFailure),
      );
    }
    report({ kind: "connected", startedAtMs: Date.now() });
    const recorder = startRecorder(order.recordingFile);
    const hearing = createCallHearing(CALL_RATE);
    const startFrame = createFrames(recorder.add, hearing.push);
    clock = startFrameClock(startFrame);
    const ending = await ended;
    clock.stop();
    await line.close();
    const recordingError = await recorder.finish();
    const frameGapMaxMs = clock.gapMaxMs();
    const heard = hearing.finish();
    const isTimingReliable = frameGapMaxMs <= FRAME_GAP_MAX_MS;
    finish(ending, { durationMs: heard.durationMs, frameGapMaxMs, isTimingReliable, heard }, recordingError, false);
  }

  function finish(ending: Ending, summary: CallEnd["summary"], recordingError: string | null, isOurFault: boolean) {
    report({ kind: "ended", ...ending, isOurFault, summary, recordingError });
  }

  function createFrames(record: (caller: Int16Array, agent: Int16Array) => void, measure: typeof record) {
    const { endOfTurnMs, patienceMs, interruptAfterMs } = order.turnTaking;
    const voice = createVoiceActivity({ rate: CALL_RATE, onMs: SPEECH_MIN_MS, offMs: endOfTurnMs });
    const turns = createTurnTaker({ patienceMs, interruptAfterMs });
    const turnSound = createTurnSound(order.sendsAgentSound, endOfTurnMs);
    let saidFromMs: number | null = null;

    return ({ index, isLate }: { index: number; isLate: boolean }) => {
      const nowMs = (index + 1) * FRAME_MS;
      const wasSpeaking = caller.isSpeaking;
      const { clean, sent } = caller.next();
      if (!isLate) line.send(sent);
      const agent = line.hear();
      record(sent, agent);
      measure(clean, agent);
      if (wasSpeaking) saidFromMs ??= nowMs - FRAME_MS;
      if (saidFromMs !== null && !caller.isSpeaking) {
        report({ kind: "said", startedMs: saidFromMs, endedMs: nowMs });
        saidFromMs = null;
      }
      const edge = voice.push(agent);
      turnSound.add(agent, voice.isSpeaking);
      for (const event of turns.next(nowMs, edge, wasSpeaking)) report(event);
      if (edge?.kind === "stopped")
        report({ kind: "agent_stopped", startedMs: edge.startedMs, atMs: edge.atMs, sound: turnSound.take() });
    };
  }

  void run().catch((error: unknown) =>
    finish(
      { reason: "simulator_error", note: `The media process failed: ${(error as Error).message}.` },
      null,
      null,
      true,
    ),
  );
  return {
    say: (samples) => {
      if (!isEnding) caller.say(samples);
    },
    hangUp() {
      if (isEnding) return;
      isEnding = true;
      abort.abort();
      end({ reason: "persona_concluded", note: null });
    },
  };
}

function refuse(reason: Ending["reason"], note: string | null): never {
  throw new CallFailure(reason, note ?? "The agent ended the call before it began.");
}

/** Collects the sound of the agent's turn; a little sound before its first edge belongs to it. */
function createTurnSound(isWanted: boolean, endOfTurnMs: number) {
  const framesBefore = Math.ceil((SPEECH_MIN_MS + 200) / FRAME_MS);
  const framesMax = (TURN_SOUND_MAX_MS + endOfTurnMs) / FRAME_MS;
  let frames: Int16Array[] = [];
  return {
    add(frame: Int16Array, isSpeaking: boolean): void {
      if (!isWanted) return;
      if (!isSpeaking && frames.length >= framesBefore) frames.shift();
      if (frames.length < framesMax) frames.push(frame);
    },
    take(): Int16Array | null {
      if (!isWanted) return null;
      const sound = joined(frames);
      frames = [];
      return sound;
    },
  };
}
