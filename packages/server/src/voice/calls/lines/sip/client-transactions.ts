import { randomBytes } from "node:crypto";
import { answerChallenge, type SipCredential } from "./digest.ts";
import { type Header, type SipMessage, writeMessage } from "./message.ts";
import { type Retransmission, retransmit, TIMERS } from "./retransmission.ts";
import type { Hop, SignallingSocket } from "./signalling-socket.ts";

type Pending = {
  method: string;
  sequence: number;
  callId: string;
  sending: Retransmission;
  receive: (response: SipMessage) => void;
};

/** Request other than INVITE and CANCEL. */
type Request = {
  method: string;
  callId: string;
  target: string;
  hop: Hop;
  /** Returns the headers of the request, except `Via`. */
  headers: (sequence: number) => readonly Header[];
  /** Receives the final response and its status; null when no final response arrived. */
  receive: (status: number | null, response?: SipMessage) => void;
};

type ClientTransactions = {
  nextSequence: () => number;
  newBranch: () => string;
  viaOf: (branch: string) => Header;
  /** Repeats a request until its final response arrives. Answers one challenge. */
  request: (request: Request) => void;
  /** Adds a transaction whose request has already been sent. */
  add: (branch: string, pending: Pending) => void;
  remove: (branch: string) => void;
  receive: (response: SipMessage) => void;
  stop: () => void;
};

/** A CANCEL has the branch of the INVITE that it cancels, so its key also contains the method. */
export const keyOf = (branch: string, method: string): string => (method === "CANCEL" ? `${branch} CANCEL` : branch);

/** Creates the client transactions of a call according to RFC 3261, section 17.1. */
export function createClientTransactions(
  socket: SignallingSocket,
  credential: SipCredential | undefined,
): ClientTransactions {
  const { own, transport } = socket;
  const pending = new Map<string, Pending>();
  let sequence = 0;

  const newBranch = () => `z9hG4bK${randomBytes(8).toString("hex")}`;
  const viaOf = (branch: string): Header => [
    "Via",
    `SIP/2.0/${transport.toUpperCase()} ${own.address}:${own.port};branch=${branch};rport`,
  ];

  function attempt(request: Request, extra: readonly Header[], canAnswer: boolean): void {
    const { method, callId, target, hop, headers, receive } = request;
    const branch = newBranch();
    const number = ++sequence;
    const bytes = writeMessage(`${method} ${target} SIP/2.0`, [viaOf(branch), ...headers(number), ...extra]);
    const remove = () => {
      pending.get(branch)?.sending.stop();
      pending.delete(branch);
    };
    const sending = retransmit(
      () => socket.send(bytes, hop),
      TIMERS.t2Ms,
      () => {
        remove();
        receive(null);
      },
      transport !== "udp",
    );
    const answered = (response: SipMessage) => {
      if (response.status! < 200) return sending.slow();
      remove();
      const isChallenge = response.status === 401 || response.status === 407;
      const header = canAnswer && isChallenge && credential && answerChallenge(response, credential, method, target);
      if (header) attempt(request, [header], false);
      else receive(response.status!, response);
    };
    pending.set(branch, { method, sequence: number, callId, sending, receive: answered });
  }

  return {
    nextSequence: () => ++sequence,
    newBranch,
    viaOf,
    request: (request) => attempt(request, [], true),
    add: (branch, one) => void pending.set(keyOf(branch, one.method), one),
    remove: (branch) => void pending.delete(branch),
    receive(response) {
      const waiting = pending.get(keyOf(response.branch, response.method));
      const isItsOwn =
        waiting?.method === response.method &&
        waiting.sequence === response.sequence &&
        waiting.callId === response.callId;
      if (isItsOwn) waiting.receive(response);
    },
    stop() {
      for (const { sending } of pending.values()) sending.stop();
      pending.clear();
    },
  };
}
