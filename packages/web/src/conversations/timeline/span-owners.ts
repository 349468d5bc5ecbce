import type { Span, Trace } from "@svc/contract";

/** The spans of a conversation by the turn that they describe; `null` has the spans of no turn. */
type SpansByTurn = Map<number | null, Span[]>;

/**
 * Returns the spans of each turn, in tree order. A turn has the spans that it names, those of its calls and its speech, and what
 * is below them in the tree. A span that contains spans of one turn only belongs to that turn, unless it is a root.
 */
export function spansByTurn(trace: Trace): SpansByTurn {
  const named = ownersOf(trace);
  const owners: (number | null)[] = [];
  const path: number[] = [];
  for (const [index, { spanId, depth }] of trace.spans.entries()) {
    path.length = depth;
    const parent = depth === 0 ? undefined : path[depth - 1];
    owners.push(named.get(spanId) ?? (parent === undefined ? null : (owners[parent] ?? null)));
    path[depth] = index;
  }
  giveContainers(trace.spans, owners);
  const spans: SpansByTurn = new Map();
  for (const [index, span] of trace.spans.entries()) {
    const owner = owners[index]!;
    const list = spans.get(owner);
    if (list === undefined) spans.set(owner, [span]);
    else list.push(span);
  }
  return spans;
}

/** Returns the turns of the spans that the conversation names. An agent's turn comes before the typed turn that it answers. */
function ownersOf({ turns, toolCalls, modelCalls, speechCalls, speech }: Trace): Map<string, number> {
  const owners = new Map<string, number>();
  const own = (spanId: string, turn: number | null) => {
    if (turn !== null && !owners.has(spanId)) owners.set(spanId, turn);
  };
  const inOrder = [...turns.filter(({ role }) => role === "agent"), ...turns.filter(({ role }) => role !== "agent")];
  for (const { spanIds, index } of inOrder) for (const spanId of spanIds) own(spanId, index);
  for (const { spanId, turnIndex } of [...toolCalls, ...modelCalls, ...speechCalls, ...speech]) own(spanId, turnIndex);
  return owners;
}

/** Gives each span without a turn, except roots, the turn of the spans below it when they have the same one. */
function giveContainers(spans: readonly Span[], owners: (number | null)[]): void {
  const below = new Map<number, number | null>();
  const path: number[] = [];
  const parents = spans.map(({ depth }, index) => {
    path.length = depth;
    path[depth] = index;
    return depth === 0 ? undefined : path[depth - 1];
  });
  for (let index = spans.length - 1; index >= 0; index--) {
    const inside = below.get(index);
    if (owners[index] === null && spans[index]!.depth > 0 && typeof inside === "number") owners[index] = inside;
    const parent = parents[index];
    if (parent === undefined) continue;
    const owner = owners[index] ?? inside;
    if (owner === undefined) continue;
    below.set(parent, !below.has(parent) || below.get(parent) === owner ? owner : null);
  }
}
