import type { CallSteps } from "../../call-steps.ts";
import type { createAnswers } from "./answers.ts";
import type { createClientTransactions } from "./client-transactions.ts";
import { type Header, hostOf, type SipMessage, uriOf } from "./message.ts";
import { type Retransmission, retransmit, TIMERS } from "./retransmission.ts";
import type { Hop, SignallingSocket } from "./signalling-socket.ts";

export const ALLOW = "INVITE, ACK, BYE, CANCEL, OPTIONS, UPDATE, INFO";
export const ROUTES_MAX = 10;

/** The other side of a dialog. `to` is the value of the header `To` in requests to it, and `route` the set of `Route` headers. */
export type Peer = { tag: string; to: string; target: string; route: readonly string[]; hop: Hop };

export const commonHeaders = (from: string, to: string, callId: string, cseq: string): Header[] => [
  ["Max-Forwards", "70"],
  ["From", from],
  ["To", to],
  ["Call-ID", callId],
  ["CSeq", cseq],
];

type FoundPeer = {
  /** `To` of a response or `From` of a request, with the tag. */
  to: string;
  tag: string;
  route: readonly string[];
  target: string;
  /** The other side over TCP and TLS, where the requests of a dialog follow the INVITE over its connection. */
  connected: Hop | undefined;
  resolve: (host: string) => Promise<string>;
};

/** Returns the other side of a dialog. Rejects when the service may not call its address. */
export async function peerOf({ to, tag, route, target, connected, resolve }: FoundPeer): Promise<Peer> {
  const next = hostOf(route.length > 0 ? uriOf(route[0]!) : target);
  // Strict routers rewrite the URI of a request. They are older than RFC 3261 and not supported.
  if (!next || tag === "" || route.length > ROUTES_MAX || !hostOf(target)) throw new Error("no usable route");
  if (connected) return { tag, to, target, route, hop: connected };
  const address = await resolve(next.host);
  return { tag, to, target, route, hop: { address, port: next.port } };
}

/** Requests of the service to the other side of a dialog. */
export function createDialogRequests(
  transactions: ReturnType<typeof createClientTransactions>,
  { from, callId }: { from: string; callId: string },
) {
  const headersTo = ({ to, route }: Peer, number: number, method: string): Header[] => [
    ...route.map((one): Header => ["Route", one]),
    ...commonHeaders(from, to, callId, `${number} ${method}`),
  ];
  return {
    headersTo,
    sendBye(peer: Peer, done: () => void): void {
      transactions.request({
        method: "BYE",
        callId,
        target: peer.target,
        hop: peer.hop,
        headers: (number) => headersTo(peer, number, "BYE"),
        receive: done,
      });
    },
  };
}

type PeerEvents = {
  hungUp: () => void;
  /**
   * Receives a description during the call, which may be empty. Returns the answer; undefined when the description contains no usable
   * sound.
   */
  changed: (description: Buffer) => string | undefined;
};

/** Answers the requests of the other side of a dialog. */
export function createPeerRequests(
  socket: SignallingSocket,
  answers: ReturnType<typeof createAnswers>,
  steps: CallSteps,
  { hungUp, changed }: PeerEvents,
) {
  let lastSequence = -1;
  let repeated200: Retransmission | undefined;
  /** The 200 offered the sound, because the INVITE had no description. The ACK then answers the offer. */
  let isOffered = false;
  const answer = (message: SipMessage, status: number, body: string, to: Hop) =>
    socket.send(answers.write(message, status, body), to);
  return {
    /** Takes the number of the request that created the dialog. */
    startAt: (sequence: number) => void (lastSequence = sequence),
    acknowledged({ body }: SipMessage): void {
      repeated200?.stop();
      if (isOffered && body.length > 0) changed(body);
      isOffered = false;
    },
    stop: () => repeated200?.stop(),

    receive(message: SipMessage, to: Hop): void {
      const { method } = message;
      if (message.sequence <= lastSequence) return answer(message, 500, "", to);
      lastSequence = message.sequence;
      if (method === "BYE") {
        answer(message, 200, "", to);
        steps.note("ended", "agent");
        return hungUp();
      }
      if (method !== "INVITE" && (method !== "UPDATE" || message.body.length === 0))
        return answer(message, 200, "", to);
      const description = changed(message.body);
      if (description === undefined) return answer(message, 488, "", to);
      if (method !== "INVITE") return answer(message, 200, description, to);
      const bytes = answers.write(message, 200, description);
      isOffered = message.body.length === 0;
      repeated200?.stop();
      repeated200 = retransmit(
        () => socket.send(bytes, to),
        TIMERS.t2Ms,
        () => {},
      );
    },
  };
}
