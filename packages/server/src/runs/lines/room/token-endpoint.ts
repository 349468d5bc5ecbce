import { z } from "zod";
import { exchange, type OutboundAnswer, type PrivateAddresses } from "../../../base/net/outbound.ts";
import { LineFailure } from "../line.ts";
import { checkToken, outboundFailure } from "./media-server.ts";
import { CALLER_IDENTITY, type RoomAccess } from "./room-access.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const TOKEN_CHARACTERS_MAX = 32 * 1024;

const token = z.string().min(1).max(TOKEN_CHARACTERS_MAX);
/** Answer of a token endpoint, with the member names of the platform's own examples. */
const Answer = z.union([
  z.object({ participant_token: token }).transform((answer) => answer.participant_token),
  z.object({ participantToken: token }).transform((answer) => answer.participantToken),
  z.object({ token }).transform((answer) => answer.token),
]);

type TokenEndpoint = {
  url: string;
  tokenEndpoint: string;
  headers: Record<string, string>;
  room: string;
  metadata: string;
  privateAddresses: PrivateAddresses;
};

/**
 * Requests a token from the customer's endpoint, in the format of the platform's token servers. The endpoint decides which agent
 * joins the room. The media server deletes the room after the caller has left it.
 */
export async function openRoomByEndpoint(
  { url, tokenEndpoint, headers, room, metadata, privateAddresses }: TokenEndpoint,
  signal: AbortSignal,
): Promise<RoomAccess> {
  const answer = await exchange({
    method: "POST",
    url: new URL(tokenEndpoint),
    headers,
    json: {
      room_name: room,
      participant_identity: CALLER_IDENTITY,
      participant_name: "svc",
      room_config: { agents: [{ metadata }] },
    },
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES_MAX,
    privateAddresses,
    signal,
    once: true,
  }).catch((error: unknown) => {
    const advice = "check the connection's tokenEndpoint, which must answer itself and in time";
    throw outboundFailure(error, "connection_refused", advice);
  });
  const roomToken = tokenIn(answer);
  await checkToken(url, roomToken, privateAddresses, signal);
  return { token: roomToken, close: async () => {} };
}

function tokenIn({ status, body }: OutboundAnswer): string {
  if (status === 401 || status === 403)
    throw new LineFailure(
      "credential_rejected",
      `The connection's token endpoint refused its headers (${status}): replace the credential.`,
    );
  if (status === 429)
    throw new LineFailure("rate_limited", "The connection's token endpoint answered 429: lower the run's concurrency.");
  if (status < 200 || status > 299)
    throw new LineFailure("connection_refused", `The connection's token endpoint answered with status ${status}.`);
  const answer = Answer.safeParse(jsonOf(body));
  if (answer.success) return answer.data;
  throw new LineFailure(
    "connection_refused",
    "The connection's token endpoint answered without a token: it must send JSON with `participant_token` or `token`.",
  );
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
