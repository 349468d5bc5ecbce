import { OutboundFailure, outboundFaultOf } from "../../../base/net/outbound.ts";
import { CallFailure } from "../call.ts";

export function failureToConnect(error: unknown): CallFailure {
  if (error instanceof OutboundFailure) {
    const advice =
      error.fault === "private_address"
        ? "give the connection a public address, or set SVC_OUTBOUND_PRIVATE=true at the service"
        : "give the connection another address";
    return new CallFailure("connection_refused", `${error.message}: ${advice}.`);
  }
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (/closed before the connection was established/.test(message))
    return new CallFailure("agent_never_joined", "The agent's endpoint did not open the WebSocket in time.");
  const fault = outboundFaultOf(code);
  if (fault === "tls")
    return new CallFailure(
      "connection_refused",
      "The agent's endpoint did not agree on a trusted TLS connection: check that it speaks wss with a valid certificate, or use ws.",
    );
  if (fault === "not_http" || /Sec-WebSocket|Upgrade header|subprotocol/i.test(message))
    return new CallFailure(
      "agent_error",
      "The agent's endpoint does not speak the WebSocket protocol: check the connection's port, and whether it speaks ws or wss.",
    );
  return new CallFailure(
    "connection_refused",
    `Nothing answered at the connection's address (${code || message}): check the address and that the agent runs.`,
  );
}

export function failureOfAnswer(status: number, hasCredential: boolean): CallFailure {
  if (status === 401 || status === 403)
    return new CallFailure(
      "credential_rejected",
      hasCredential
        ? `The agent's endpoint refused the connection's credential (${status}): replace it.`
        : `The agent's endpoint asks for a credential (${status}), and the connection has none: add a connection of the variant websocket_audio.bearer with the key.`,
    );
  if (status === 429)
    return new CallFailure("rate_limited", "The agent's endpoint answered 429: lower the run's concurrency.");
  if (status >= 300 && status < 400)
    return new CallFailure(
      "agent_error",
      `The agent's endpoint answered with a redirect (${status}), which is not followed: give the connection the final address.`,
    );
  return new CallFailure(
    "agent_error",
    `The agent's endpoint answered with status ${status} and opened no WebSocket: check the connection's address.`,
  );
}

export function brokenSocket(error: Error, messageBytesMax: number): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
    return `The agent sent a message of more than ${messageBytesMax / 1024 / 1024} MiB.`;
  if (code?.startsWith("WS_ERR_")) return "The agent sent data that break the WebSocket protocol.";
  return `The connection to the agent broke during the call (${code ?? error.message}).`;
}
