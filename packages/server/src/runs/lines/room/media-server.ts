import { createHmac } from "node:crypto";
import { exchange, type OutboundAnswer, OutboundFailure, type PrivateAddresses } from "../../../base/net/outbound.ts";
import { LineFailure } from "../line.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const REQUEST_SECONDS = 60;

type RoomGrants = {
  room: string;
  roomJoin?: true;
  roomCreate?: true;
  roomAdmin?: true;
  canPublish?: true;
  canSubscribe?: true;
};

export type ProjectKey = { apiKey: string; apiSecret: string };

export function signToken(
  { apiKey, apiSecret }: ProjectKey,
  identity: string,
  video: RoomGrants,
  seconds: number,
): string {
  const now = Math.floor(Date.now() / 1_000);
  // The token is valid since a minute ago: clocks differ, and a server rejects a token whose validity begins in the future.
  const claims = { iss: apiKey, sub: identity, nbf: now - 60, exp: now + seconds, video };
  const unsigned = [{ alg: "HS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${unsigned}.${createHmac("sha256", apiSecret).update(unsigned).digest("base64url")}`;
}

export function addressFor(scheme: "ws" | "http", url: string): string {
  const secure = /^(?:wss|https):/.test(url) ? "s" : "";
  return url.replace(/^[a-z]+/, `${scheme}${secure}`).replace(/\/+$/, "");
}

/**
 * Room API of a media server. Every failure is a `LineFailure` with a reason that does not count against the agent. Its message
 * quotes nothing from the answer: a connection may name any address, so a quote could reveal data from the internal network.
 */
export type MediaServer = {
  createRoom: (room: string, signal: AbortSignal) => Promise<void>;
  dispatch: (room: string, agentName: string, metadata: string, signal: AbortSignal) => Promise<string>;
  listJobs: (room: string, dispatchId: string, signal: AbortSignal) => Promise<AgentJob[]>;
  deleteDispatch: (room: string, dispatchId: string, signal: AbortSignal) => Promise<void>;
  /** Deletes the room, which disconnects all participants. */
  deleteRoom: (room: string, signal: AbortSignal) => Promise<void>;
};

type AgentJob = { hasFailed: boolean };

/** Time after which the media server deletes an empty room, even when this service was killed. */
const EMPTY_ROOM_SECONDS = 60;
const LEFT_ROOM_SECONDS = 10;
/**
 * Agent name that no worker has. The media server dispatches no agent automatically to a room that is created with a dispatch,
 * so only the agent under test joins.
 */
const NO_AGENT = "svc-no-agent";

export function createMediaServer(url: string, key: ProjectKey, privateAddresses: PrivateAddresses): MediaServer {
  async function ask(method: string, room: string, json: object, signal: AbortSignal): Promise<unknown> {
    const token = signToken(key, "svc", { room, roomCreate: true, roomAdmin: true }, REQUEST_SECONDS);
    const answer = await askMediaServer({
      method: "POST",
      url: `${addressFor("http", url)}/twirp/livekit.${method}`,
      headers: { authorization: `Bearer ${token}` },
      json,
      privateAddresses,
      signal,
    });
    if (answer.status === 200) return jsonOf(answer);
    throw refusalOf(answer);
  }

  return {
    async createRoom(room, signal) {
      const timeouts = { empty_timeout: EMPTY_ROOM_SECONDS, departure_timeout: LEFT_ROOM_SECONDS };
      await ask(
        "RoomService/CreateRoom",
        room,
        { name: room, ...timeouts, agents: [{ agent_name: NO_AGENT }] },
        signal,
      );
    },

    async dispatch(room, agent_name, metadata, signal) {
      const made = await ask("AgentDispatchService/CreateDispatch", room, { room, agent_name, metadata }, signal);
      const { id } = (made ?? {}) as { id?: unknown };
      if (typeof id === "string") return id;
      throw notAServer("It answered a dispatch without an id.");
    },

    async listJobs(room, dispatch_id, signal) {
      const list = await ask("AgentDispatchService/ListDispatch", room, { room, dispatch_id }, signal);
      return jobsOf(list, dispatch_id);
    },

    deleteDispatch: async (room, dispatch_id, signal) =>
      void (await ask("AgentDispatchService/DeleteDispatch", room, { room, dispatch_id }, signal)),

    deleteRoom: async (room, signal) => void (await ask("RoomService/DeleteRoom", room, { room }, signal)),
  };
}

/** Throws a `LineFailure` when the media server does not answer or does not accept the token. */
export async function checkToken(
  url: string,
  token: string,
  privateAddresses: PrivateAddresses,
  signal: AbortSignal,
): Promise<void> {
  const answer = await askMediaServer({
    method: "GET",
    url: `${addressFor("http", url)}/rtc/validate?access_token=${encodeURIComponent(token)}`,
    privateAddresses,
    signal,
  });
  if (answer.status === 200) return;
  if (answer.status === 401 || answer.status === 403)
    throw new LineFailure(
      "credential_rejected",
      `The media server refused the token of the connection's token endpoint (${answer.status}).`,
    );
  throw refusalOf(answer);
}

type MediaServerRequest = {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  json?: object;
  privateAddresses: PrivateAddresses;
  signal: AbortSignal;
};

async function askMediaServer({ url, ...request }: MediaServerRequest): Promise<OutboundAnswer> {
  try {
    return await exchange({ ...request, url: new URL(url), timeoutMs: TIMEOUT_MS, maxBytes: ANSWER_BYTES_MAX });
  } catch (error) {
    throw outboundFailure(error, "media_unreachable", "check the connection's url, and that the media server runs");
  }
}

/** Converts an error of `exchange` to a `LineFailure`. Returns other errors, and the error of a canceled request, unchanged. */
export function outboundFailure(
  error: unknown,
  reason: "media_unreachable" | "connection_refused",
  advice: string,
): unknown {
  if (!(error instanceof OutboundFailure) || error.fault === "canceled") return error;
  if (error.fault === "private_address")
    return new LineFailure(
      "connection_refused",
      `${error.message}: give the connection a public address, or set SVC_OUTBOUND_PRIVATE=true at the service.`,
    );
  if (error.fault === "forbidden_address")
    return new LineFailure("connection_refused", `${error.message}: give the connection another address.`);
  return new LineFailure(reason, `${error.message}: ${advice}.`);
}

function refusalOf(answer: OutboundAnswer): LineFailure {
  const { status } = answer;
  if (status === 401 || status === 403)
    return new LineFailure(
      "credential_rejected",
      `The media server refused the connection's API key (${status}): replace the credential.`,
    );
  if (status === 429)
    return new LineFailure("rate_limited", "The media server answered 429: lower the run's concurrency.");
  if (status === 404) return notAServer("It answered with status 404.");
  return new LineFailure("media_unreachable", `The media server answered with status ${status}.`);
}

const notAServer = (why: string): LineFailure =>
  new LineFailure("media_unreachable", `The connection's url is no LiveKit server. ${why}`);

function jsonOf({ body }: OutboundAnswer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw notAServer("It answered with something that is not JSON.");
  }
}

function jobsOf(list: unknown, dispatchId: string): AgentJob[] {
  const { agent_dispatches, agentDispatches = agent_dispatches } = (list ?? {}) as Record<string, unknown>;
  const dispatches = (Array.isArray(agentDispatches) ? agentDispatches : []) as {
    id?: unknown;
    state?: { jobs?: { state?: { status?: unknown } }[] };
  }[];
  const jobs = dispatches.find(({ id }) => id === dispatchId)?.state?.jobs ?? [];
  return jobs.map(({ state }) => ({ hasFailed: state?.status === "JS_FAILED" }));
}
