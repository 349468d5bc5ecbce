import { isIP } from "node:net";
import WebSocket from "ws";
import { guardedLookup, OutboundFailure, type PrivateAddresses, refusalOf } from "./outbound.ts";

type SocketOptions = {
  headers: Record<string, string>;
  privateAddresses: PrivateAddresses;
  handshakeTimeoutMs: number;
  /** The largest message that the socket receives; a larger one closes it. */
  messageBytesMax: number;
};

/** Returns a WebSocket to another host, which connects under the same rule of addresses as every request and never follows a redirect. */
export function openSocket(url: URL, options: SocketOptions): WebSocket {
  const { headers, privateAddresses, handshakeTimeoutMs, messageBytesMax } = options;
  const address = url.hostname.replace(/^\[|\]$/g, "");
  const refusal = isIP(address) ? refusalOf(address, privateAddresses) : undefined;
  if (refusal) throw new OutboundFailure(refusal, url.hostname);
  return new WebSocket(url, {
    headers,
    lookup: guardedLookup(privateAddresses),
    handshakeTimeout: handshakeTimeoutMs,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    followRedirects: false,
  });
}
