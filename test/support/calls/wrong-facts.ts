import type { HeardCall, SpeechSegment } from "../../../packages/server/src/voice/calls/call.ts";
import type { HeardCase } from "./heard-cases.ts";
import type { Stretch } from "./timeline.ts";

/** The service promises starts and ends of speech within 20 ms, and durations and overlaps within 30 ms. */
const EDGE_MS = 20;
const BETWEEN_EDGES_MS = 30;

type Truth = HeardCase["heard"] & { caller: readonly Stretch[]; agent: readonly Stretch[] };

/** Returns a sentence for each fact of a call that differs from the truth by more than the tolerance. */
export function wrongFactsOf(call: HeardCall, truth: Truth): string[] {
  const wrong: string[] = [];
  const compare = (what: string, heard: number | null, real: number | null, toleranceMs: number) => {
    const isWrong = heard === null || real === null ? heard !== real : Math.abs(heard - real) > toleranceMs;
    if (isWrong) wrong.push(`${what}: heard ${heard}, truth ${real}`);
  };
  const compareLists = <Fact>(what: string, heard: readonly Fact[], real: readonly Fact[], fields: Field<Fact>[]) => {
    if (heard.length !== real.length) {
      wrong.push(`${what}: heard ${JSON.stringify(heard)}, truth ${JSON.stringify(real)}`);
      return;
    }
    for (const [at, fact] of heard.entries()) {
      for (const [field, tolerance] of fields) {
        compare(`${what} ${at} ${String(field)}`, fact[field] as number, real[at]![field] as number, tolerance);
      }
    }
  };
  const edges: Field<SpeechSegment>[] = [
    ["startMs", EDGE_MS],
    ["endMs", EDGE_MS],
  ];
  for (const party of ["caller", "agent"] as const) {
    const segments = truth[party].map(([startMs, endMs]) => ({ startMs, endMs }));
    compareLists(party, call[party].segments, segments, edges);
  }
  compare("first sound", call.firstSoundMs, truth.firstSoundMs, EDGE_MS);
  compareLists("answer", call.answers, truth.answers, [
    ["callerEndMs", EDGE_MS],
    ["agentStartMs", EDGE_MS],
    ["responseMs", BETWEEN_EDGES_MS],
  ]);
  compareLists("interruption", call.interruptions, truth.interruptions, [
    ["atMs", EDGE_MS],
    ["yieldMs", BETWEEN_EDGES_MS],
    ["keptSpeakingMs", BETWEEN_EDGES_MS],
  ]);
  compare("overlap", call.overlapMs, truth.overlapMs, BETWEEN_EDGES_MS * Math.max(1, truth.interruptions.length));
  compareLists("dead air", call.deadAir, truth.deadAir, edges);
  return wrong;
}

type Field<Fact> = [field: keyof Fact, toleranceMs: number];
