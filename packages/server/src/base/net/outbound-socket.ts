import { isIP } from "node:net";
import WebSocket from "ws";
import { guardedLookup, OutboundFailure, type PrivateAddresses, refusalOf } from "./outbound.ts";

type SocketOptions = {
  headers: Record<string, string>;
  privateAddresses: PrivateAddresses;
  /** The time for the whole handshake; a socket that is not open then closes with an error. */
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
  const socket = new WebSocket(url, {
    headers,
    lookup: guardedLookup(privateAddresses),
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    followRedirects: false,
  });
  // The library's own limit starts again with every byte of the other host.
  const late = setTimeout(() => socket.terminate(), handshakeTimeoutMs);
  for (const event of ["open", "close"]) socket.once(event, () => clearTimeout(late));
  return socket;
}
