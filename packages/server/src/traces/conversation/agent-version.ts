import { LIMITS } from "@svc/contract/constants";
import type { StoredSpan } from "../stored-span.ts";
import { KEY } from "../vocabulary/platform-a/names.ts";
import { SERVICE_VERSION_KEY, VERSION_KEYS } from "./identity-keys.ts";

/** Matches the values that senders write when they do not know the version. */
const NO_VERSION = /^(?:unknown|none|null|nil|undefined|n\/a)$/i;

/** Characters that nobody can see: control characters, direction marks, lone surrogates. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

export function versionOf(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return null;
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  // Keeps more characters than the limit, because the next step removes invisible characters.
  const text = String(value)
    .slice(0, 16 * LIMITS.agentVersionCharacters)
    .replaceAll(INVISIBLE, "")
    .trim();
  if (text === "" || NO_VERSION.test(text)) return null;
  return text
    .slice(0, LIMITS.agentVersionCharacters)
    .toWellFormed()
    .replace(/\ufffd$/u, "")
    .trimEnd();
}

/**
 * Returns the version of the agent; null if no span names a version. Reads these attributes in this order, and uses the first that a span
 * has: the project's `versionAttribute`, `VERSION_KEYS`, the platform's attribute, the service version. If spans have different values, the
 * value of the earliest span counts; at equal times, the first value in text order. Every process of a call can report a service version,
 * so the spans for which `isOfAgent` is true have priority there.
 */
export function agentVersionOf(
  spans: readonly StoredSpan[],
  versionAttribute: string | null,
  isOfAgent: (span: StoredSpan) => boolean,
): string | null {
  const keys = versionAttribute === null ? ALL_KEYS : [versionAttribute, ...ALL_KEYS];
  const first = new Map<string, { version: string; startNs: bigint }>();
  const services = new Map<string, StoredSpan[]>();
  for (const span of spans) {
    for (const key of keys) take(first, key, span);
    const service = versionOf(span.resource[SERVICE_VERSION_KEY]);
    if (service === null) continue;
    const own = services.get(service);
    if (own === undefined) services.set(service, [span]);
    else own.push(span);
  }
  for (const key of keys) {
    const found = first.get(key);
    if (found !== undefined) return found.version;
  }
  if (services.size <= 1) return services.keys().next().value ?? null;
  const candidates = [...services].map(([version, own]) => ({ version, own, agents: own.filter(isOfAgent) }));
  const ofAgent = candidates.filter(({ agents }) => agents.length > 0);
  const chosen = (ofAgent.length > 0 ? ofAgent : candidates).map(({ version, own, agents }) => ({
    version,
    startNs: (agents.length > 0 ? agents : own).reduce(
      (least, { startNs }) => (startNs < least ? startNs : least),
      NEVER,
    ),
  }));
  return chosen.reduce((best, one) => (isBefore(one, best) ? one : best)).version;
}

const ALL_KEYS = [...VERSION_KEYS, KEY.agentVersion];
const NEVER = 2n ** 63n;

type Found = { version: string; startNs: bigint };

function take(first: Map<string, Found>, key: string, { attributes, resource, startNs }: StoredSpan): void {
  const value = attributes[key] ?? resource[key];
  if (value === undefined) return;
  const version = versionOf(value);
  if (version === null) return;
  const found = { version, startNs };
  const before = first.get(key);
  if (before === undefined || isBefore(found, before)) first.set(key, found);
}

const isBefore = (one: Found, other: Found): boolean =>
  one.startNs < other.startNs || (one.startNs === other.startNs && one.version < other.version);
