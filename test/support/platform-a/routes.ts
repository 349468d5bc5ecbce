import { randomBytes } from "node:crypto";
import { listed, type Wire, type WireCall, withoutTranscript } from "./calls.ts";
import { fits, fitsAll, fitsOld } from "./filters.ts";
import type { PlatformState, WireAgent } from "./state.ts";

export type Permission = "agents" | "calls" | "chats";
export type Reply = { status?: number; body?: unknown };
type Received = { query: URLSearchParams; body: Wire; id: string };
type Route = [
  method: string,
  path: RegExp,
  needs: Permission | null,
  answer: (request: Received, state: PlatformState) => Reply,
];

export const refusal = (status: number, message: string): Reply => ({ status, body: { status: "error", message } });
const NOTHING = refusal(404, "Cannot find requested asset under given api key.");
const FOREIGN = refusal(422, "Cannot find requested asset under given api key.");

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1000;

/** The routes of the platform: those that the service calls, their older forms, and those that clients usually try first. */
export const ROUTES: Route[] = [
  ["GET", /^\/get-api-key-info$/, null, () => ({ body: { api_key_name: "fake", org_name: "Acme" } })],
  ["GET", /^\/get-concurrency$/, null, () => ({ body: { current_concurrency: 0, concurrency_limit: 20 } })],

  ["POST", /^\/v2\/list-agents$/, "agents", listAgents],
  ["GET", /^\/list-agents$/, "agents", (_, { agents }) => ({ body: agents.filter(isVoice).flatMap(everyVersion) })],
  ["GET", /^\/list-chat-agents$/, "agents", (_, { agents }) => ({ body: agents.filter((agent) => !isVoice(agent)) })],
  [
    "GET",
    /^\/get-agent\/([^/]+)$/,
    "agents",
    ({ id }, state) => recordOrRefusal(state.agents.find((agent) => agent.agent_id === id && isVoice(agent))),
  ],
  [
    "GET",
    /^\/get-chat-agent\/([^/]+)$/,
    "agents",
    ({ id }, state) => recordOrRefusal(state.agents.find((agent) => agent.agent_id === id && !isVoice(agent))),
  ],

  ["POST", /^\/v3\/list-calls$/, "calls", listCalls],
  ["POST", /^\/v2\/list-calls$/, "calls", listCallsOld],
  ["GET", /^\/v2\/get-call\/([^/]+)$/, "calls", getCall],
  [
    "POST",
    /^\/v3\/create-web-call$/,
    "calls",
    ({ body }, state) =>
      createWebCall(body, state, { transport: "gateway", ice_servers: [], expires_at: Date.now() + 30_000 }),
  ],
  [
    "POST",
    /^\/v2\/create-web-call$/,
    "calls",
    ({ body }, state) =>
      createWebCall(body, state, {
        call_type: "web_call",
        call_status: "registered",
        agent_version: 0,
        ...state.webCall,
      }),
  ],

  ["POST", /^\/create-chat$/, "chats", createChat],
  ["POST", /^\/create-chat-completion$/, "chats", completeChat],
  [
    "GET",
    /^\/get-chat\/([^/]+)$/,
    "chats",
    ({ id }, state) => recordOrRefusal(state.chats.find((chat) => chat.chat_id === id)),
  ],
  ["PATCH", /^\/end-chat\/([^/]+)$/, "chats", endChat],
  [
    "POST",
    /^\/v3\/list-chats$/,
    "chats",
    ({ body }, { chats }) => ({ body: pageOf(chats.toReversed(), body, (chat) => chat.chat_id) }),
  ],
  ["GET", /^\/list-chat$/, "chats", (_, { chats }) => ({ body: chats })],
];

const recordOrRefusal = (record: unknown): Reply => (record === undefined ? NOTHING : { body: record });
const isVoice = ({ channel }: WireAgent) => channel === "voice";

/** Returns every version of an agent as the older list has them: the newest is not first. */
const everyVersion = (agent: WireAgent): Wire[] =>
  Array.from({ length: agent.version + 1 }, (_, at) => (agent.version - at + 1) % (agent.version + 1)).map((version) =>
    version === agent.version ? agent : { ...agent, version, agent_name: `${agent.agent_name} (version ${version})` },
  );

function listAgents({ query, body }: Received, { agents }: PlatformState): Reply {
  const { channel } = (body["filter_criteria"] ?? {}) as { channel?: Wire };
  const shown = agents
    .filter((agent) => channel === undefined || fits(agent.channel, { type: "string", ...channel }))
    .map(({ agent_id, agent_name, channel, last_modification_timestamp }) => ({
      agent_id,
      agent_name,
      channel,
      tags: {},
      user_modified_timestamp: last_modification_timestamp,
    }));
  const limit = query.get("limit");
  const paging = { limit: limit === null ? undefined : Number(limit), pagination_key: query.get("pagination_key") };
  return { body: pageOf(shown, paging, (agent) => agent.agent_id) };
}

function listCalls({ body }: Received, { calls }: PlatformState): Reply {
  if (body["skip"] !== undefined && body["pagination_key"])
    return refusal(400, "skip and pagination_key exclude each other");
  const criteria = (body["filter_criteria"] ?? {}) as Wire;
  const all = inOrder(
    [...calls.values()].filter((call) => fitsAll(call, criteria)),
    body["sort_order"],
  );
  const page = pageOf(all.slice(Number(body["skip"] ?? 0)), body, (call) => call.call_id);
  return {
    body: { ...page, items: page.items.map(listed), ...(body["include_total"] === true && { total: all.length }) },
  };
}

function listCallsOld({ body }: Received, { calls }: PlatformState): Reply {
  const criteria = (body["filter_criteria"] ?? {}) as Wire;
  const all = inOrder(
    [...calls.values()].filter((call) => fitsOld(call, criteria)),
    body["sort_order"],
  );
  const { items } = pageOf(
    all,
    { ...body, pagination_key: body["pagination_key"] && keyOf(body["pagination_key"]) },
    (call) => call.call_id,
  );
  return { body: items };
}

function getCall({ id }: Received, { calls, held }: PlatformState): Reply {
  const call = calls.get(id);
  const readsLeft = held.get(id) ?? 0;
  if (call === undefined || readsLeft === 0) return recordOrRefusal(call);
  held.set(id, readsLeft - 1);
  return { body: withoutTranscript(call) };
}

const inOrder = (calls: WireCall[], order: unknown): WireCall[] => {
  const sign = order === "ascending" ? 1 : -1;
  return calls.sort((a, b) => sign * (a.start_timestamp - b.start_timestamp) || (a.call_id < b.call_id ? -1 : 1));
};

/** Returns an opaque page key for the last id of a page. */
const keyOf = (id: unknown) => Buffer.from(`after ${id}`).toString("base64url");

function pageOf<T>(all: readonly T[], paging: Wire, idOf: (item: T) => string) {
  const after = paging["pagination_key"];
  const from = after ? all.findIndex((item) => keyOf(idOf(item)) === after) + 1 : 0;
  const limit = Math.min(Number(paging["limit"] ?? LIMIT_DEFAULT), LIMIT_MAX);
  const items = all.slice(from, from + limit);
  const has_more = from + limit < all.length;
  return { items, has_more, ...(has_more && { pagination_key: keyOf(idOf(items.at(-1)!)) }) };
}

const newId = (kind: string) => `${kind}_${randomBytes(12).toString("hex")}`;

function createWebCall({ agent_id }: Wire, { agents }: PlatformState, more: Wire): Reply {
  if (!agents.some((agent) => agent.agent_id === agent_id)) return FOREIGN;
  return {
    status: 201,
    body: { call_id: newId("call"), agent_id, access_token: randomBytes(24).toString("hex"), ...more },
  };
}

function createChat({ body }: Received, { agents, chats }: PlatformState): Reply {
  const agent = agents.find(({ agent_id }) => agent_id === body["agent_id"]);
  if (agent === undefined) return FOREIGN;
  if (isVoice(agent)) return refusal(400, "Agent is not a chat agent.");
  const chat = {
    chat_id: newId("chat"),
    agent_id: agent.agent_id,
    chat_status: "ongoing",
    chat_type: "api_chat",
    start_timestamp: Date.now(),
    transcript: "",
    message_with_tool_calls: [],
    metadata: body["metadata"],
    retell_llm_dynamic_variables: body["retell_llm_dynamic_variables"],
  };
  chats.push(chat);
  return { status: 201, body: chat };
}

function completeChat({ body }: Received, { chats, reply }: PlatformState): Reply {
  const chat = chats.find(({ chat_id }) => chat_id === body["chat_id"]);
  if (chat === undefined) return NOTHING;
  if (chat.chat_status !== "ongoing") return refusal(400, "Chat already ended.");
  const stamped = (message: Wire) => ({
    message_id: randomBytes(8).toString("hex"),
    created_timestamp: Date.now(),
    ...message,
  });
  const messages = reply(String(body["content"])).map(stamped);
  chat.message_with_tool_calls.push(stamped({ role: "user", content: body["content"] }), ...messages);
  return { status: 201, body: { messages } };
}

function endChat({ id }: Received, { chats }: PlatformState): Reply {
  const chat = chats.find(({ chat_id }) => chat_id === id);
  if (chat === undefined) return NOTHING;
  chat.chat_status = "ended";
  return { status: 204 };
}
