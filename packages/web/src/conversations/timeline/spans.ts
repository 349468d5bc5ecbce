import type { Span, Trace } from "@svc/contract";

/** If a span has one child, and the child takes at least this share of the span's time, both share a row. */
const SAME_LENGTH = 0.6;

/** The spans without a turn have the key `null`. */
type SpansByTurn = Map<number | null, Span[]>;

/**
 * A turn owns the spans that it names, the spans of its calls and speech, and all their descendants. A span without a turn, whose
 * descendants all belong to one turn, belongs to that turn too. Exception: a root span stays without a turn.
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

/** If the turns of both parties name the same span, the span belongs to the agent's turn. */
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

export type BarKind =
  | "caller"
  | "agent"
  | "third_party"
  | "work"
  | "wait"
  | "model"
  | "speech"
  | "tool"
  | "rest"
  | "failed"
  | "silence";

/** Row of spans: one span, or a chain of only children that take almost the same time. */
export type SpanRow = { span: Span; name: string; depth: number; kind: BarKind; spans: readonly Span[] };

/** The spans must be in tree order. */
export function spanRowsOf(spans: readonly Span[], kinds: ReadonlyMap<string, BarKind>): SpanRow[] {
  const children = childrenOf(spans);
  const rows: SpanRow[] = [];
  const add = (span: Span, depth: number, inherited: BarKind) => {
    const chain = chainFrom(span, children);
    const last = chain.at(-1)!;
    const own = chain.map(({ spanId }) => kinds.get(spanId)).find((kind) => kind !== undefined);
    const kind = chain.some(({ status }) => status === "error") ? "failed" : (own ?? inherited);
    rows.push({ span, name: nameOf(chain), depth, kind, spans: chain });
    for (const child of children.get(last) ?? [])
      add(child, depth + 1, own === "model" || own === "tool" ? own : "rest");
  };
  for (const root of children.get(null) ?? []) add(root, 0, "rest");
  return rows;
}

/** Spans whose parent is not among these spans have the key null. */
function childrenOf(spans: readonly Span[]): Map<Span | null, Span[]> {
  const children = new Map<Span | null, Span[]>();
  const path: Span[] = [];
  for (const span of spans) {
    while (path.length > 0 && path.at(-1)!.depth >= span.depth) path.pop();
    const parent =
      path.findLast(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId) ?? null;
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [span]);
    else list.push(span);
    path.push(span);
  }
  return children;
}

function chainFrom(first: Span, children: ReadonlyMap<Span | null, Span[]>): Span[] {
  const chain = [first];
  for (;;) {
    const last = chain.at(-1)!;
    const below = children.get(last);
    const [only] = below ?? [];
    if (below?.length !== 1 || only === undefined || !isSameLength(only, last)) return chain;
    chain.push(only);
  }
}

const isSameLength = (child: Span, parent: Span): boolean =>
  child.durationMs !== null && parent.durationMs !== null && child.durationMs >= parent.durationMs * SAME_LENGTH;

/** A prefix of the first name, such as `llm_`, is left out of the other names. */
function nameOf(chain: readonly Span[]): string {
  const names = chain.map(({ name }, index) => {
    const prefix = /^[^_\s]+_/.exec(chain[Math.max(0, index - 1)]!.name)?.[0];
    const start = /^[^_\s]+_/.exec(chain[0]!.name)?.[0] ?? prefix;
    return index > 0 && start !== undefined && name.startsWith(start) && name.length > start.length
      ? name.slice(start.length)
      : name;
  });
  return names.join(" › ");
}

export function barKinds({ modelCalls, speechCalls, toolCalls, speech, turns }: Trace): Map<string, BarKind> {
  const kinds = new Map<string, BarKind>();
  const ofTurns = new Set(turns.flatMap(({ spanIds }) => spanIds));
  const set = (spanId: string, kind: BarKind) => {
    if (kinds.has(spanId)) return;
    if (!ofTurns.has(spanId) || kind === "model" || kind === "tool" || kind === "speech") kinds.set(spanId, kind);
  };
  for (const { spanId, role } of speech) set(spanId, role === "user" ? "caller" : role);
  for (const { spanId, kind } of speechCalls) if (kind === "tts") set(spanId, "speech");
  for (const { spanId } of modelCalls) set(spanId, "model");
  for (const { spanId, isError } of toolCalls) set(spanId, isError === true ? "failed" : "tool");
  return kinds;
}
