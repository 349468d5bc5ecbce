import type { z } from "zod";
import { exchange, OutboundFailure, type OutboundAnswer } from "../../base/net/outbound.ts";
import { type PlatformACall, readCall, TERMINAL_STATUSES } from "./call.ts";
import { limitConcurrency } from "./limit-concurrency.ts";
import { errorOfExchange, errorOfStatus, PlatformError, unreadable } from "./platform-error.ts";
import { AgentAnswer, AgentsPage, AgentVersions, CallsPage } from "./shapes.ts";
import { withoutKeys } from "./without-secrets.ts";

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const REQUESTS_AT_ONCE = 4;
const AGENTS_PER_PAGE = 1_000;
const AGENT_PAGES_MAX = 50;
const CALLS_PER_PAGE = 100;

/** Matches a key that the client can send in a header. */
const SENDABLE = /^[\x21-\x7e]{8,}$/;

export type VoiceAgent = { id: string; name: string };

type ListedCall = {
  callId: string;
  /** Undefined when the list contains no start time of the call. */
  startMs: number | undefined;
  endMs: number | undefined;
  status: string;
};

type CallsQuery = {
  agentId: string;
  fromMs: number;
  toMs: number;
  /** Lists only calls that ended at this time or later. */
  endedFromMs?: number | undefined;
  pageKey?: string | undefined;
  limit?: number;
};

type ListedCalls = {
  calls: ListedCall[];
  nextKey: string | undefined;
};

/** Each method throws a `PlatformError` when the platform sends no usable answer. */
export type PlatformAClient = {
  listVoiceAgents: () => Promise<VoiceAgent[]>;
  getAgent: (id: string) => Promise<VoiceAgent>;
  /** Resolves when the key may read call history. */
  checkHistory: () => Promise<void>;
  /** Returns a page of an agent's ended calls that started in the window, earliest first. The window includes both bounds. */
  listCalls: (query: CallsQuery) => Promise<ListedCalls>;
  /** Returns one call, which may be incomplete, or too old to appear in lists. */
  getCall: (callId: string) => Promise<PlatformACall>;
};

type ClientOptions = { baseUrl: string; apiKey: string; timeoutMs?: number; maxBytes?: number; signal?: AbortSignal };

/**
 * Creates a client that reads voice agents and calls of one account through the platform's public REST API (Retell's). When `signal`
 * aborts, the requests in progress fail with a `PlatformError` of the kind `unavailable`.
 */
export function createPlatformAClient({
  baseUrl,
  apiKey,
  timeoutMs = TIMEOUT_MS,
  maxBytes = ANSWER_BYTES_MAX,
  signal,
}: ClientOptions): PlatformAClient {
  const limited = limitConcurrency(REQUESTS_AT_ONCE);
  let lastRateLimit: PlatformError | undefined;

  return {
    async listVoiceAgents() {
      try {
        return await agentsByPage();
      } catch (error) {
        if (error instanceof PlatformError && error.kind === "not_found") return await agentsByVersion();
        throw error;
      }
    },

    async getAgent(id) {
      const agent = await ask(AgentAnswer, "GET", `/get-agent/${segment(id)}`);
      if (agent.agent_id !== id) throw unreadable("is about another agent");
      return voiceAgent(agent);
    },

    async checkHistory() {
      await ask(CallsPage, "POST", "/v3/list-calls", { limit: 1 });
    },

    async listCalls({ agentId, fromMs, toMs, endedFromMs, pageKey, limit = CALLS_PER_PAGE }) {
      const page = await ask(CallsPage, "POST", "/v3/list-calls", {
        filter_criteria: {
          agent: [{ agent_id: agentId }],
          start_timestamp: { type: "range", op: "bt", value: [fromMs, toMs] },
          call_status: { type: "enum", op: "in", value: TERMINAL_STATUSES },
          ...(endedFromMs !== undefined && { end_timestamp: { type: "number", op: "ge", value: endedFromMs } }),
        },
        sort_order: "ascending",
        limit,
        ...(pageKey !== undefined && { pagination_key: pageKey }),
      });
      const calls = page.items
        .filter((call) => (call.agent_id ?? agentId) === agentId && TERMINAL_STATUSES.includes(call.call_status))
        .map((call): ListedCall => ({
          callId: call.call_id,
          startMs: call.start_timestamp,
          endMs: call.end_timestamp,
          status: call.call_status,
        }));
      return { calls, nextKey: nextKeyOf(page, new Set(pageKey === undefined ? [] : [pageKey])) };
    },

    async getCall(callId) {
      const call = readCall(await askJson("GET", `/v2/get-call/${segment(callId)}`));
      if (call === undefined) throw unreadable("is not a call");
      if (call.callId !== callId) throw unreadable("is about another call");
      return call;
    },
  };

  async function agentsByPage(): Promise<VoiceAgent[]> {
    const agents = new Map<string, VoiceAgent>();
    const keys = new Set<string>();
    let key: string | undefined;
    do {
      const query = new URLSearchParams({
        limit: String(AGENTS_PER_PAGE),
        ...(key !== undefined && { pagination_key: key }),
      });
      const page = await ask(AgentsPage, "POST", `/v2/list-agents?${query}`, {
        filter_criteria: { channel: { type: "string", op: "eq", value: "voice" } },
      });
      for (const agent of page.items) if (agent.channel === "voice") agents.set(agent.agent_id, voiceAgent(agent));
      key = nextKeyOf(page, keys);
      if (keys.size === AGENT_PAGES_MAX)
        throw new PlatformError("too_large", "The account has too many agents to list.");
      if (key !== undefined) keys.add(key);
    } while (key !== undefined);
    return [...agents.values()];
  }

  async function agentsByVersion(): Promise<VoiceAgent[]> {
    const versions = await ask(AgentVersions, "GET", "/list-agents");
    const voice = versions.filter(({ channel }) => (channel ?? "voice") === "voice");
    const newestLast = voice.toSorted((a, b) => a.version - b.version);
    return [...new Map(newestLast.map((agent) => [agent.agent_id, voiceAgent(agent)])).values()];
  }

  async function ask<T>(shape: z.ZodType<T>, method: "GET" | "POST", path: string, json?: unknown): Promise<T> {
    const parsed = shape.safeParse(await askJson(method, path, json));
    if (!parsed.success) throw unreadable("does not have the documented shape");
    return parsed.data;
  }

  async function askJson(method: "GET" | "POST", path: string, json?: unknown): Promise<unknown> {
    if (!SENDABLE.test(apiKey))
      throw new PlatformError("credential_rejected", "This is not an API key of the platform.");
    const rateLimitBefore = lastRateLimit;
    const body = await limited(() => {
      // While this request waited for its turn, the platform rejected another request because of its rate limit.
      if (lastRateLimit !== undefined && lastRateLimit !== rateLimitBefore) throw lastRateLimit;
      return bodyOf(method, path, json);
    });
    try {
      return JSON.parse(withoutKeys(body.toString("utf8"), apiKey));
    } catch {
      throw unreadable("is not JSON");
    }
  }

  async function bodyOf(method: "GET" | "POST", path: string, json: unknown): Promise<Buffer> {
    const { status, headers, body } = await send(method, path, json);
    const error = errorOfStatus(status, headers, Date.now());
    if (error?.kind === "rate_limited") lastRateLimit = error;
    if (error !== undefined) throw error;
    return body;
  }

  async function send(method: "GET" | "POST", path: string, json: unknown): Promise<OutboundAnswer> {
    return exchange({
      method,
      url: new URL(baseUrl + path),
      headers: { authorization: `Bearer ${apiKey}` },
      json,
      timeoutMs,
      maxBytes,
      privateAddresses: "allow",
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw error instanceof OutboundFailure ? errorOfExchange(error) : error;
    });
  }
}

const voiceAgent = ({ agent_id: id, agent_name }: z.infer<typeof AgentAnswer>): VoiceAgent => ({
  id,
  name: agent_name?.trim() || id,
});

/** Returns an id as a segment of a path. Throws for an id that would change the path. */
function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new PlatformError("not_found", "The platform has no such id.");
  return encodeURIComponent(id.toWellFormed());
}

/** Returns the key of the next page. Throws for a missing key, and for a key in `seen`, because the list would never end. */
function nextKeyOf(page: { has_more: boolean; pagination_key?: string | null | undefined }, seen: ReadonlySet<string>) {
  if (!page.has_more) return undefined;
  const key = page.pagination_key;
  if (!key) throw unreadable("announces a next page without its key");
  if (seen.has(key)) throw unreadable("repeats the key of a page");
  return key;
}
