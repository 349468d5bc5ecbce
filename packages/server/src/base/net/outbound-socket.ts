import { isIP } from "node:net";
import WebSocket from "ws";
import { guardedLookup, OutboundFailure, type PrivateAddresses, refusalOf } from "./outbound.ts";

type SocketOptions = {
  headers: Record<string, string>;
  privateAddresses: PrivateAddresses;
  /** Time limit of the whole handshake. A socket that is not open by then closes with an error. */
  handshakeTimeoutMs: number;
  /** Size limit of a received message. A larger message closes the socket. */
  messageBytesMax: number;
  /** False when the caller answers the pings of the other host. Default: true. */
  autoPong?: boolean;
};

/** Opens a WebSocket to another host. It checks addresses like every outbound request, and never follows a redirect. */
export function openSocket(url: URL, options: SocketOptions): WebSocket {
  const { headers, privateAddresses, handshakeTimeoutMs, messageBytesMax, autoPong = true } = options;
  const address = url.hostname.replace(/^\[|\]$/g, "");
  const refusal = isIP(address) ? refusalOf(address, privateAddresses) : undefined;
  if (refusal) throw new OutboundFailure(refusal, url.hostname);
  const socket = new WebSocket(url, {
    headers,
    lookup: guardedLookup(privateAddresses),
    maxPayload: messageBytesMax,
    autoPong,
    perMessageDeflate: false,
    followRedirects: false,
  });
  // The library's own timeout restarts with every byte that the other host sends.
  const late = setTimeout(() => socket.terminate(), handshakeTimeoutMs);
  for (const event of ["open", "close"]) socket.once(event, () => clearTimeout(late));
  return socket;
}
