import type { CallSummary, HeardCall } from "../../voice/calls/call.ts";
import { HEARD_SPANS } from "../../traces/vocabulary/heard.ts";
import type { PlayedTurn } from "../play/play.ts";

/** A span of a call with sound. Times are Unix milliseconds; `order` sorts the spans of one millisecond. */
export type CallSpan = {
  part: string;
  name: string;
  startMs: number;
  endMs: number;
  order?: number;
  attributes: Record<string, string | number | boolean>;
};

export function callAttributes({ durationMs, frameGapMaxMs, isTimingReliable, heard }: CallSummary) {
  return {
    "svc.call.duration_ms": durationMs,
    "svc.call.frame_gap_max_ms": frameGapMaxMs,
    "svc.call.timing_reliable": isTimingReliable,
    "svc.heard.analysed": heard !== null,
    ...(heard !== null && heardAttributes(heard)),
  };
}

const heardAttributes = ({ firstSoundMs, overlapMs, caller, agent }: HeardCall) => ({
  ...(firstSoundMs !== null && { "svc.heard.first_sound_ms": firstSoundMs }),
  "svc.heard.overlap_ms": overlapMs,
  ...(caller.speechDbfs !== null && { "svc.heard.caller.speech_dbfs": rounded(caller.speechDbfs) }),
  ...(agent.speechDbfs !== null && { "svc.heard.agent.speech_dbfs": rounded(agent.speechDbfs) }),
  "svc.heard.agent.floor_dbfs": rounded(agent.floorDbfs),
  "svc.heard.agent.clipped_samples": agent.clippedSamples,
  ...((caller.isUnclear || agent.isUnclear) && { "svc.heard.unclear": true }),
});

const rounded = (dbfs: number): number => Math.round(dbfs * 10) / 10;

export function callSpans({ startedAtMs, heard }: CallSummary, turns: readonly PlayedTurn[]): CallSpan[] {
  const said = turns.flatMap(({ role, text, startedMs, endedMs }, at): CallSpan[] =>
    role === "caller" && text !== null
      ? [
          {
            part: `said ${at}`,
            name: HEARD_SPANS.said,
            startMs: startedMs,
            endMs: endedMs,
            attributes: { "svc.turn.text": text },
          },
        ]
      : [],
  );
  return heard === null ? said : [...said, ...heardSpans(heard, startedAtMs)];
}

/** Shortest time from an interruption to the end of the call that is enough to see whether the agent stops speaking. */
const SHOWN_MS = 1_500;

function heardSpans(heard: HeardCall, startedAtMs: number): CallSpan[] {
  const span = (
    part: string,
    name: string,
    startMs: number,
    endMs: number,
    attributes: CallSpan["attributes"] = {},
  ): CallSpan => ({ part, name, startMs: startedAtMs + startMs, endMs: startedAtMs + endMs, attributes });
  const speech = (["caller", "agent"] as const).flatMap((party) =>
    heard[party].segments.map(({ startMs, endMs }, at) =>
      span(`${party} speech ${at}`, HEARD_SPANS.speech, startMs, endMs, { "svc.heard.party": party }),
    ),
  );
  const answers = heard.answers.map(({ callerEndMs, agentStartMs, responseMs }, at) => {
    const [startMs, endMs] = [Math.min(callerEndMs, agentStartMs), Math.max(callerEndMs, agentStartMs)];
    return span(`answer ${at}`, HEARD_SPANS.answer, startMs, endMs, { "svc.heard.response_ms": responseMs });
  });
  const interruptions = heard.interruptions
    .filter(({ atMs, keptSpeakingMs, yieldMs }) => {
      const isCutOff = yieldMs === null && atMs + keptSpeakingMs > heard.durationMs - 100;
      return !isCutOff || keptSpeakingMs >= SHOWN_MS;
    })
    .map(({ atMs, keptSpeakingMs, yieldMs }, at) =>
      span(`interruption ${at}`, HEARD_SPANS.interruption, atMs, atMs + keptSpeakingMs, {
        "svc.heard.kept_speaking_ms": keptSpeakingMs,
        "svc.heard.yielded": yieldMs !== null,
      }),
    );
  const silences = heard.deadAir.map(({ startMs, endMs }, at) =>
    span(`silence ${at}`, HEARD_SPANS.silence, startMs, endMs),
  );
  return [...speech, ...answers, ...interruptions, ...silences];
}
