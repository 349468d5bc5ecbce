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
  const audio = timeline.speechOf(answered)[0];
  const spoken = timeline.speechOf(asked).filter((speech) => audio !== undefined && speech.startMs < audio.startMs);
  if (audio === undefined || spoken.length === 0) return null;
  const endMs = spoken.reduce((last, speech) => Math.max(last, speech.endMs), -Infinity);
  return { ...at, value: audio.startMs - endMs, provenance: "measured" };
}
