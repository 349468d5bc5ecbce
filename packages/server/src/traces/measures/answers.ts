import type { Turn } from "../conversation.ts";
import type { Sample } from "./measure.ts";
import type { Timeline } from "./timeline.ts";

/** A user turn and the agent's first audio after it; a greeting answers nobody. */
export type Answer = { asked: Turn; answered: Turn; latency: Sample | null };

export function answersOf(timeline: Timeline): Answer[] {
  const answers: Answer[] = [];
  let asked: Turn | null = null;
  for (const turn of timeline.turns) {
    if (turn.role === "user") asked = turn;
    else if (asked !== null && isHeard(turn, timeline)) {
      answers.push({ asked, answered: turn, latency: latency(asked, turn, timeline) });
      asked = null;
    }
  }
  return answers;
}

const isHeard = (turn: Turn, timeline: Timeline) =>
  timeline.speechOf(turn).length > 0 || typeof timeline.reportOf(turn)?.responseLatencyMs === "number";

function latency(asked: Turn, answered: Turn, timeline: Timeline): Sample | null {
  const at = { turnIndex: answered.index, atNs: answered.startNs };
  const reported = timeline.reportOf(answered)?.responseLatencyMs ?? null;
  if (reported !== null) return { ...at, value: reported, provenance: "provider_reported" };
  const audioMs = timeline.speechOf(answered)[0]?.startMs;
  const spoken = audioMs === undefined ? null : endOfSpeech(asked, audioMs, timeline);
  return spoken && { ...at, value: audioMs! - spoken.ms, provenance: spoken.provenance };
}

/** A voice detector notices the end of speech late, so what the platform takes for the end goes before its span's. */
function endOfSpeech(asked: Turn, beforeMs: number, timeline: Timeline) {
  const delayMs = timeline.reportOf(asked)?.endOfUtteranceDelayMs ?? null;
  if (delayMs !== null && asked.endNs !== null) {
    return { ms: timeline.ms(asked.endNs) - delayMs, provenance: "provider_reported" as const };
  }
  const ends = timeline.speechOf(asked).flatMap((speech) => (speech.startMs < beforeMs ? speech.endMs : []));
  if (ends.length === 0) return null;
  return { ms: ends.reduce((a, b) => Math.max(a, b)), provenance: "measured" as const };
}
