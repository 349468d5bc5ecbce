import type { DraftOf, ModelCall, UnspokenTurn } from "./vocabulary.ts";

/** Adds an unspoken turn for each failed model call that belongs neither to a turn nor to an item of `unspoken`. */
export function withFailedCalls(
  unspoken: readonly UnspokenTurn[],
  calls: readonly DraftOf<ModelCall>[],
): UnspokenTurn[] {
  const described = new Set(unspoken.flatMap(({ spanIds }) => spanIds));
  const failed = calls.filter(
    ({ isError, turn, spanId }) => isError === true && turn === null && !described.has(spanId),
  );
  return [
    ...unspoken,
    ...failed.map(({ error, startNs, endNs, spanId }): UnspokenTurn => ({
      outcome: "failed",
      text: null,
      agentName: null,
      error,
      startNs,
      endNs,
      spanIds: [spanId],
    })),
  ];
}
