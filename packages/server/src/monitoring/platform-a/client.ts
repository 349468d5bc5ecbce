import type { z } from "zod";
import { exchange, OutboundFailure, type OutboundAnswer } from "../../outbound.ts";
import { type PlatformACall, readCall, TERMINAL_STATUSES } from "./call.ts";
import { failureOfExchange, failureOfStatus, PlatformFailure, unreadable } from "./failure.ts";
import { openGate } from "./gate.ts";
import { AgentAnswer, AgentsPage, AgentVersions, CallsPage } from "./shapes.ts";
import { DROPPED } from "./without-secrets.ts";

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const REQUESTS_AT_ONCE = 4;
const AGENTS_PER_PAGE = 1_000;
const AGENT_PAGES_MAX = 50;
const CALLS_PER_PAGE = 100;

/** What a header can carry. */
const SENDABLE = /^[\x21-\x7e]{8,}$/;

export type VoiceAgent = { id: string; name: string };

/** A call as a list tells it, without what was said. */
type ListedCall = {
  callId: string;
  /** Undefined when the list does not tell it. */
  startMs: number | undefined;
  endMs: number | undefined;
  status: string;
};

type CallsQuery = {
  agentId: string;
  fromMs: number;
  toMs: number;
  /** Only calls that ended from here on. */
  endedFromMs?: number | undefined;
  pageKey?: string | undefined;
  limit?: number;
};

export type PlatformAClient = ReturnType<typeof openPlatformAClient>;

/**
 * Reads voice agents and calls of one account on the platform (its public REST API; Retell's). Every refusal and fault is a
 * `PlatformFailure`; when `signal` has aborted, what was under way fails as `unavailable`.
 */
export function openPlatformAClient({
  baseUrl,
  apiKey,
  timeoutMs = TIMEOUT_MS,
  maxBytes = ANSWER_BYTES_MAX,
  signal,
}: {
  baseUrl: string;
  apiKey: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
}) {
  const pass = openGate(REQUESTS_AT_ONCE);

  return {
    /** All voice agents of the account, each once. */
    async listVoiceAgents(): Promise<VoiceAgent[]> {
      try {
        return await agentsByPage();
      } catch (error) {
        if (error instanceof PlatformFailure && error.kind === "not_found") return await agentsByVersion();
        throw error;
      }
    },

    /** A voice agent under its current name. */
    async agent(id: string): Promise<VoiceAgent> {
      const agent = await ask(AgentAnswer, "GET", `/get-agent/${segment(id)}`);
      if (agent.agent_id !== id) throw unreadable("is of another agent");
      return voiceAgent(agent);
    },

    /** Proves that the key may read the history of calls. */
    async checkHistory(): Promise<void> {
      await ask(CallsPage, "POST", "/v3/list-calls", { limit: 1 });
    },

    /** A page of an agent's calls that are over and started in the window, ends included, the earliest first. */
    async listCalls({ agentId, fromMs, toMs, endedFromMs, pageKey, limit = CALLS_PER_PAGE }: CallsQuery) {
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

    /** One call with all that was said, complete or not, however old. */
    async call(callId: string): Promise<PlatformACall> {
      const call = readCall(await askJson("GET", `/v2/get-call/${segment(callId)}`));
      if (call === undefined) throw unreadable("is no call");
      if (call.callId !== callId) throw unreadable("is of another call");
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
        throw new PlatformFailure("too_large", "The account has too many agents to list.");
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
    if (!parsed.success) throw unreadable("is not what the interface says");
    return parsed.data;
  }

  async function askJson(method: "GET" | "POST", path: string, json?: unknown): Promise<unknown> {
    if (!SENDABLE.test(apiKey))
      throw new PlatformFailure("credential_rejected", "This is not an API key of the platform.");
    const { status, headers, body } = await pass(() => sendTwice(method, path, json));
    const failure = failureOfStatus(status, headers, Date.now());
    if (failure !== undefined) throw failure;
    try {
      return JSON.parse(body.toString("utf8").replaceAll(apiKey, DROPPED));
    } catch {
      throw unreadable("is no JSON");
    }
  }

  /** A kept connection may be closed by the other side just when it is used, so a broken one is tried once more. */
  async function sendTwice(method: "GET" | "POST", path: string, json: unknown): Promise<OutboundAnswer> {
    try {
      return await send(method, path, json);
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      if (error.fault !== "unreachable") throw failureOfExchange(error);
    }
    return send(method, path, json).catch((error: unknown) => {
      throw error instanceof OutboundFailure ? failureOfExchange(error) : error;
    });
  }

  function send(method: "GET" | "POST", path: string, json: unknown): Promise<OutboundAnswer> {
    return exchange({
      method,
      url: new URL(baseUrl + path),
      headers: { authorization: `Bearer ${apiKey}` },
      json,
      timeoutMs,
      maxBytes,
      ...(signal && { signal }),
    });
  }
}

const voiceAgent = ({ agent_id: id, agent_name }: z.infer<typeof AgentAnswer>): VoiceAgent => ({
  id,
  name: agent_name?.trim() || id,
});

/** An id as part of a path; one that would lead elsewhere stands for nothing. */
function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new PlatformFailure("not_found", "The platform has no such id.");
  return encodeURIComponent(id.toWellFormed());
}

/** A page that says that there is more must say where, and not where one was already. */
function nextKeyOf(page: { has_more: boolean; pagination_key?: string | null | undefined }, seen: ReadonlySet<string>) {
  if (!page.has_more) return undefined;
  const key = page.pagination_key;
  if (!key) throw unreadable("says that there is more but not where");
  if (seen.has(key)) throw unreadable("repeats the key of a page");
  return key;
}
