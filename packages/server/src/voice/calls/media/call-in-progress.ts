import { FRAME_MS, FRAME_SAMPLES } from "../../audio/audio.ts";
import { powerOf, SOUND_POWER } from "../../audio/level.ts";
import {
  type CallEnd,
  type CallEvent,
  CallFailure,
  type CallOrder,
  type MediaLineEvents,
  RELIABLE_GAP_MS,
} from "../call.ts";
import { createCallHearing } from "../heard/call-hearing.ts";
import { createBadLine } from "../lines/bad-line.ts";
import { createLine } from "../lines/create-line.ts";
import { createCallerSound } from "./caller-sound.ts";
import { startFrameClock } from "./frame-clock.ts";
import { createHeardKeys } from "./heard-keys.ts";
import { startRecorder } from "./recorder.ts";
import { createTurnTaker } from "./turn-taking.ts";

const SILENCE = new Int16Array(FRAME_SAMPLES);
const SKIPPED = { clean: SILENCE, sent: SILENCE, key: null };

export type CallInProgress = {
  say: (samples: Int16Array) => void;
  press: (keys: string) => void;
  hangUp: () => void;
};

type CallFacts = Pick<CallEnd, "cutOff" | "summary" | "recordingError">;
type Ending = Pick<CallEnd, "reason" | "note"> & { isOurFault?: boolean };

/** Places a call. Its last event is `ended`. `reportFault` receives the stack trace when the code of the service fails. */
export function placeCall(
  order: CallOrder,
  report: (event: CallEvent) => void,
  reportFault: (stack: string) => void,
): CallInProgress {
  const connecting = new AbortController();
  const caller = createCallerSound(order.surroundings, order.seed);
  const keys = createHeardKeys();
  let end!: (ending: Ending) => void;
  const ended = new Promise<Ending>((resolve) => (end = resolve));
  const events: MediaLineEvents = {
    waitsForAgent: () => report({ kind: "waits_for_agent" }),
    words: (text) => report({ kind: "words", text }),
    pressed: keys.take,
    ended: (reason, note) => end({ reason, note }),
  };
  const line = createBadLine(createLine(order.line, order.callId, events), order.condition, order.seed);

  async function run(): Promise<void> {
    const connected = line.connect(connecting.signal).then(() => true);
    if (await Promise.race([connected, ended.then(() => false)])) return converse();
    connected.catch(() => {});
    await line.close();
    reportEnd(await ended);
  }

  async function converse(): Promise<void> {
    const startedAtMs = Date.now();
    const recorder = startRecorder(order.recordingFile);
    const hearing = createCallHearing();
    const turns = createTurnTaker(order.turnTaking, order.sendsAgentSound);
    let frames = 0;
    let saidFromMs: number | null = null;
    let hasSound = false;

    function said(): void {
      if (saidFromMs !== null) report({ kind: "said", startedMs: saidFromMs, endedMs: frames * FRAME_MS });
      saidFromMs = null;
    }

    const clock = startFrameClock((isSkipped) => {
      const isSpeaking = caller.isSpeaking && !isSkipped;
      const isPressing = caller.isPressing;
      const { clean, sent, key } = isSkipped ? SKIPPED : caller.next();
      if (key !== null) line.press?.(key);
      if (!isSkipped) line.send(sent);
      const agent = line.hear();
      const { pressed, isTone } = keys.next(agent, isPressing);
      recorder.add(sent, agent);
      hearing.push({ clean, sent, agent });
      hasSound ||= powerOf(agent) > SOUND_POWER;
      if (isSpeaking) saidFromMs ??= frames * FRAME_MS;
      frames++;
      if (!caller.isSpeaking) said();
      for (const event of turns.next(isTone ? SILENCE : agent, isSpeaking, hearing.isEcho)) report(event);
      if (pressed) report(pressed);
    });
    report({ kind: "connected", startedAtMs });

    const ending = await ended;
    clock.stop();
    said();
    const pressed = keys.finish();
    if (pressed) report(pressed);
    const cutOff = turns.finish();
    await line.close();
    const recordingError = await recorder.finish();
    const frameGapMaxMs = clock.gapMaxMs();
    const isTimingReliable = frameGapMaxMs <= RELIABLE_GAP_MS;
    const heard = await hearing.finish();
    const summary = { startedAtMs, durationMs: frames * FRAME_MS, frameGapMaxMs, isTimingReliable, heard };
    reportEnd(ending.reason === "agent_ended" && !hasSound ? NEVER_JOINED : ending, {
      cutOff,
      summary,
      recordingError,
    });
  }

  function reportEnd(
    { reason, note, isOurFault = false }: Ending,
    facts: CallFacts = { cutOff: null, summary: null, recordingError: null },
  ): void {
    report({ kind: "ended", reason, note, isOurFault, ...facts, line: line.facts?.() ?? null });
  }

  async function fail(error: Error): Promise<void> {
    await line.close();
    if (error instanceof CallFailure) return reportEnd({ reason: error.reason, note: error.message });
    reportFault(error.stack ?? error.message);
    const note = "The media process of the call failed; the service's log says why.";
    reportEnd({ reason: "simulator_error", note, isOurFault: true });
  }

  void run().catch(fail);
  return {
    say: caller.say,
    press: caller.press,
    hangUp() {
      connecting.abort();
      end({ reason: "persona_concluded", note: null });
    },
  };
}

const NEVER_JOINED: Ending = {
  reason: "agent_never_joined",
  note: "The agent ended the call before it made a sound.",
};
