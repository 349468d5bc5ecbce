import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";

export const EPOCH_NS = 1_795_251_153_000_000_000n;
export const TRACE_ID = "1".repeat(32);

/** Returns a span id with this number, for specs that check answers against the contract. */
export const spanIdOf = (number: number): string => number.toString(16).padStart(16, "0");

/** Creates a span of platform_b. `id` and `parent` are short names; times are in milliseconds since `EPOCH_NS`. */
export function storedSpan(
  options: Partial<Omit<StoredSpan, "spanId" | "parentSpanId" | "startNs" | "endNs">> & {
    id: string;
    parent?: string;
    startMs?: number;
    endMs?: number | null;
  },
): StoredSpan {
  const { id, parent, startMs = 0, endMs = startMs, ...rest } = options;
  return {
    traceId: TRACE_ID,
    spanId: id,
    parentSpanId: parent ?? null,
    name: id,
    kind: 1,
    startNs: atMs(startMs),
    endNs: endMs === null ? null : atMs(endMs),
    status: "unset",
    statusMessage: null,
    attributes: {},
    events: [],
    links: [],
    resource: {},
    scopeName: "livekit-agents",
    scopeVersion: null,
    ...rest,
  };
}

const atMs = (ms: number): bigint => EPOCH_NS + BigInt(Math.round(ms * 1e6));
