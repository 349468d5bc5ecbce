import { setTimeout as delay } from "node:timers/promises";
import { exchange, OutboundFailure, type OutboundRequest, type PrivateAddresses } from "../../base/net/outbound.ts";
import { excerpt } from "../../grading/bounds.ts";
import { retryAfterSecondsOf } from "../../base/net/retry-after.ts";
import { LineFailure, parsedJson } from "./line.ts";

const ANSWER_BYTES_MAX = 1024 * 1024;
const ANSWER_TIMEOUT_MS = 60_000;
const RATE_LIMIT_TRIES = 3;
const RETRY_AFTER_MAX_SECONDS = 15;

type AgentRequest = {
  method: OutboundRequest["method"];
  url: URL;
  headers: Record<string, string>;
  json?: unknown;
  once?: boolean;
  privateAddresses: PrivateAddresses;
};

/**
 * Sends one request to the agent under test and returns the parsed JSON of the answer, or null when the answer is empty. Retries
 * after 429. Throws a `LineFailure` whose reason names the cause. `first` marks the first request of a conversation, for which
 * some failures have other reasons.
 */
export async function askAgent(
  request: AgentRequest,
  { first, signal }: { first: boolean; signal: AbortSignal },
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const { status, headers, body } = await exchange({
      ...request,
      timeoutMs: ANSWER_TIMEOUT_MS,
      maxBytes: ANSWER_BYTES_MAX,
      signal,
    }).catch((error: unknown) => {
      throw failureOf(error, first);
    });
    if (status === 429 && attempt < RATE_LIMIT_TRIES) {
      const waitSeconds = Math.min(retryAfterSecondsOf(headers) ?? 2 ** attempt / 2, RETRY_AFTER_MAX_SECONDS);
      await delay(waitSeconds * 1000, undefined, { signal });
      continue;
    }
    if (status === 429)
      throw new LineFailure("rate_limited", "The agent's endpoint kept answering 429: lower the run's concurrency.");
    if (status < 200 || status > 299) throw failureOfStatus(status, body.toString("utf8"), request);
    if (status === 204 || body.length === 0) return null;
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      throw notJson(body.toString("utf8"), request);
    }
  }
}

function failureOfStatus(status: number, body: string, request: AgentRequest): LineFailure {
  const said = quoted(wordsOf(body), request);
  if (status === 401 || status === 403) {
    const remedy =
      request.headers["authorization"] === undefined
        ? `asks for a credential (${status}), and the connection has none: add a connection of the variant http_chat.bearer with the key`
        : `refused the connection's credential (${status}): replace it`;
    return new LineFailure("credential_rejected", `The agent's endpoint ${remedy}. It answered${said || " nothing"}.`);
  }
  const path = status === 404 || status === 405 ? " Check the path in the connection's address." : "";
  return new LineFailure("agent_error", `The agent's endpoint answered with status ${status}${said}.${path}`);
}

/** Returns the message of a JSON error in the forms of common frameworks. */
function wordsOf(body: string): string {
  const { error, message, detail } = (parsedJson(body) ?? {}) as Record<string, unknown>;
  const ofError = typeof error === "object" ? (error as { message?: unknown } | null)?.message : error;
  return [ofError, message, detail].find((words) => typeof words === "string") ?? body;
}

function notJson(body: string, request: AgentRequest): LineFailure {
  if (/^\s*(data|event|id|retry):/.test(body)) {
    const remedy = "let it answer a request without `stream` with one JSON document";
    return new LineFailure("agent_error", `The agent's endpoint streams its answer as events: ${remedy}.`);
  }
  const said = quoted(body, request);
  const remedy = "Check the path in the connection's address, and let the agent answer in JSON.";
  return new LineFailure(
    "agent_error",
    `The agent's endpoint answered with something that is not JSON${said}. ${remedy}`,
  );
}

const QUOTED_CHARACTERS = 120;

/**
 * Returns a colon and the start of an answer, for the end of a sentence without its full stop; an empty text when the answer is empty. Replaces the
 * connection's credential with an ellipsis.
 */
export function quoted(answer: string, { headers }: Pick<AgentRequest, "headers">): string {
  const secret = headers["authorization"]?.replace(/^Bearer /, "");
  const text = (secret ? answer.replaceAll(secret, "…") : answer).replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return text === "" ? "" : `: ${excerpt(text, QUOTED_CHARACTERS).replace(/\.$/, "")}`;
}

function failureOf(error: unknown, first: boolean): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  switch (error.fault) {
    case "canceled":
      return error;
    case "timeout":
      return new LineFailure(
        first ? "agent_never_joined" : "agent_error",
        `The agent did not answer within ${ANSWER_TIMEOUT_MS / 1000} s: check the connection's address, and look at the agent's log.`,
      );
    case "private_address":
      return new LineFailure(
        "connection_refused",
        `${error.message}: give the connection a public address, or set SVC_OUTBOUND_PRIVATE=true at the service.`,
      );
    case "forbidden_address":
      return new LineFailure("connection_refused", `${error.message}: give the connection another address.`);
    case "not_http":
      return new LineFailure(
        "agent_error",
        `${error.message}: check the connection's port, and whether it speaks http or https.`,
      );
    case "tls":
      return new LineFailure(
        first ? "connection_refused" : "agent_error",
        `${error.message}: check that the connection's address speaks https with a valid certificate, use http, or set NODE_EXTRA_CA_CERTS at the service to the PEM file of the certificate's authority.`,
      );
    case "unreachable":
      return first
        ? new LineFailure(
            "connection_refused",
            `${error.message}: check the connection's address, that the agent runs, and the agent's log.`,
          )
        : new LineFailure("agent_error", "The agent closed the connection.");
    case "too_large":
      return new LineFailure(
        "agent_error",
        `The agent's endpoint answered with more than ${ANSWER_BYTES_MAX / 1024} KiB: let it answer only the agent's next turn.`,
      );
    case "redirected":
      return new LineFailure("agent_error", `${error.message}: give the connection the final address.`);
    case "encoded":
      return new LineFailure("agent_error", `${error.message}: let the agent answer without compression.`);
    default:
      return new LineFailure("agent_error", `${error.message}.`);
  }
}
