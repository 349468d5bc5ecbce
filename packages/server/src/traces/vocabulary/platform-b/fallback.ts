import type { SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, nameOf } from "../attribute-values.ts";
import { attemptsOf } from "./attempts.ts";

/** A fallback adapter asks several providers one after another, and may ask all of them again. */
type Fallbacks = {
  adapterOf(request: SpanNode): SpanNode | null;
  /** Returns whether the request only checks if a failed provider works again. The adapter discards its answer. */
  isProbe(request: SpanNode): boolean;
  /** Returns whether the request is the last request of its adapter, not counting probes. If this request fails, the adapter fails. */
  isLast(request: SpanNode): boolean;
};

const ADAPTERS = new Set(["llm_fallback_adapter", "tts_fallback_adapter"]);

/** Largest number of simultaneous requests of an adapter. */
const PROVIDERS = 10;

/** `requests` must be in the order of the span tree. */
export function fallbacksOf(requests: readonly SpanNode[]): Fallbacks {
  const adapters = new Map<SpanNode, SpanNode>();
  for (const request of requests) {
    const adapter = adapterAbove(request);
    if (adapter !== null) adapters.set(request, adapter);
  }
  const probes = probesAmong([...adapters.keys()]);
  const lastOf = new Map<SpanNode, SpanNode>();
  for (const [request, adapter] of adapters) {
    const last = lastOf.get(adapter);
    if (!probes.has(request) && (last === undefined || request.span.startNs >= last.span.startNs))
      lastOf.set(adapter, request);
  }
  return {
    adapterOf: (request) => adapters.get(request) ?? null,
    isProbe: (request) => probes.has(request),
    isLast: (request) => lastOf.get(adapters.get(request)!) === request,
  };
}

/**
 * Returns the fallback adapter that made the request. The adapter is the request's parent. Up to version 1.7 of LiveKit Agents, an attempt
 * is the request's parent, and the adapter is the attempt's parent.
 */
function adapterAbove({ parent }: SpanNode): SpanNode | null {
  for (const above of [parent, parent?.parent ?? null]) {
    if (above !== null && ADAPTERS.has(above.span.name)) return above;
  }
  return null;
}

/**
 * Returns the probes, which only check whether a failed provider works again. Since version 1.8 of LiveKit Agents, an attribute marks the
 * probes. Before 1.8, a failed request is a probe when it ends after the attempt that made it. Within one attempt, a second request to a
 * model that has failed is also a probe, because an attempt asks each provider only once.
 */
function probesAmong(requests: readonly SpanNode[]): ReadonlySet<SpanNode> {
  const marked = requests.filter(({ span }) => flagOf(span.attributes["lk.fallback.recovery"]) === true);
  if (marked.length > 0) return new Set(marked);
  const failedAt = firstFailures(requests);
  const siblings = Map.groupBy(
    requests.toSorted((a, b) => (a.span.startNs < b.span.startNs ? -1 : 1)),
    ({ parent }) => parent,
  );
  return new Set([...siblings].flatMap(([attempt, group]) => probesOfAttempt(attempt!.span, group, failedAt)));
}

function probesOfAttempt(
  attempt: StoredSpan,
  group: readonly SpanNode[],
  failedAt: ReadonlyMap<string, bigint>,
): SpanNode[] {
  const asked = new Set<string>();
  const hadFailed = ({ startNs, attributes }: StoredSpan) =>
    (failedAt.get(modelOf(attributes) ?? "") ?? startNs + 1n) <= startNs;
  const probes = group.filter((request, index) => {
    const { span } = request;
    const model = modelOf(span.attributes);
    const askedAgain = model !== null && asked.has(model) && hadFailed(span);
    if (model !== null) asked.add(model);
    if (askedAgain || outlives(request, attempt)) return true;
    const near = group.slice(Math.max(0, index - PROVIDERS), index + PROVIDERS + 1);
    return hadFailed(span) && near.some((other) => overlaps(span, other.span) && !hadFailed(other.span));
  });
  const isAmong = new Set(probes);
  const served = group.some((request) => !isAmong.has(request) && attemptsOf(request).isError === false);
  return attempt.status === "error" || served ? probes : []; // otherwise several providers share a model name, and no request is a probe
}

function firstFailures(requests: readonly SpanNode[]): ReadonlyMap<string, bigint> {
  const failedAt = new Map<string, bigint>();
  for (const request of requests) {
    const { attributes, endNs } = request.span;
    const model = modelOf(attributes);
    if (model === null || endNs === null || attemptsOf(request).isError !== true) continue;
    const before = failedAt.get(model);
    if (before === undefined || endNs < before) failedAt.set(model, endNs);
  }
  return failedAt;
}

const ROUNDING_NS = 5_000_000n;

const outlives = (request: SpanNode, attempt: StoredSpan): boolean =>
  attempt.endNs !== null &&
  request.span.endNs !== null &&
  request.span.endNs > attempt.endNs + ROUNDING_NS &&
  attemptsOf(request).isError === true;

const modelOf = (attributes: StoredSpan["attributes"]) => nameOf(attributes["gen_ai.request.model"]);

const overlaps = (a: StoredSpan, b: StoredSpan): boolean =>
  (a.endNs === null || b.startNs < a.endNs) && (b.endNs === null || a.startNs < b.endNs);
