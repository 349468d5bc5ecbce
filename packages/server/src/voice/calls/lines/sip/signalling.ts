import { randomBytes } from "node:crypto";
import type { CallFailure } from "../../call.ts";
import type { CallSteps } from "../../call-steps.ts";
import { createAllowance } from "../allowance.ts";
import { createAnswers } from "./answers.ts";
import { createClientTransactions } from "./client-transactions.ts";
import { createAuthorization, type SipCredential } from "./digest.ts";
import { failureOfStatus, noAnswerFrom, unusableRoute } from "./endings.ts";
import {
  ALLOW,
  commonHeaders,
  createDialogRequests,
  createPeerRequests,
  type Peer,
  peerOf,
  ROUTES_MAX,
} from "./dialog.ts";
import { type Header, parseMessage, type SipMessage, uriOf, writeMessage } from "./message.ts";
import { createRegistration, ONE_CALL_SECONDS, type Registrar } from "./registration.ts";
import { retransmit, TIMERS } from "./retransmission.ts";
import type { Hop, SignallingSocket } from "./signalling-socket.ts";

type SignallingOrder = {
  uri: string;
  /** The address of the endpoint or of its proxy. */
  hop: Hop;
  socket: SignallingSocket;
  credential: SipCredential | undefined;
  registrar: Registrar | undefined;
  /** `sip:` URI of the caller; undefined for the account or the address of this machine. */
  caller: string | undefined;
  /** Route headers that lead the INVITE through a proxy. */
  route: readonly Header[];
  headers: readonly Header[];
  offer: string;
  /** Rejects when the service may not call the host. */
  resolve: (host: string) => Promise<string>;
  steps: CallSteps;
};

type SignallingEvents = {
  ringing: () => void;
  /** Receives the description in a 200. Returns the failure when the description contains no usable sound. */
  answered: (description: Buffer) => CallFailure | undefined;
  failed: (failure: CallFailure) => void;
  hungUp: () => void;
  /**
   * Receives a description during the call, which may be empty. Returns the answer; undefined when the description contains no usable
   * sound.
   */
  changed: (description: Buffer) => string | undefined;
};

type Signalling = {
  /** Registers if the order requires it, and then calls. */
  begin: () => void;
  /** Resolves after the final response of the other side, or after the transaction has timed out. */
  hangUp: () => Promise<void>;
  /** Returns how many messages of the other side were malformed. */
  unreadable: () => number;
};

const HANDLED = new Set(["BYE", "CANCEL", "OPTIONS", "UPDATE", "INFO", "INVITE"]);
/** The other side sends few messages in a call. Messages beyond these limits are ignored. */
const MESSAGES_AT_ONCE_MAX = 200;
const MESSAGES_PER_MS = 0.05;

const random = (): string => randomBytes(8).toString("hex");

/** Creates the signalling of one call as a user agent of RFC 3261: the client transactions, the dialog and the requests of the dialog. */
export function createSignalling(order: SignallingOrder, events: SignallingEvents): Signalling {
  const { uri, socket, credential, steps } = order;
  const { own, transport } = socket;
  const callId = random();
  const localTag = random();
  const isUdp = transport === "udp";
  const address = `<sip:svc@${own.address}:${own.port}${isUdp ? "" : `;transport=${transport}`}>`;
  const caller = order.caller ?? order.registrar?.account;
  const from = `${caller === undefined ? address : `<${caller}>`};tag=${localTag}`;
  const contact: Header = ["Contact", address];
  const transactions = createClientTransactions(socket, credential);
  const { viaOf } = transactions;
  const registration =
    order.registrar &&
    createRegistration(order.registrar, transactions, {
      contact: address,
      localTag,
      route: order.route,
      transport: transport.toUpperCase(),
      seconds: ONE_CALL_SECONDS,
    });
  const answers = createAnswers({ localTag, contact, allow: ALLOW });
  const acks = new Map<string, { bytes: Buffer; hop: Hop }>();
  const hosts = new Set([order.hop.address, ...(order.registrar ? [order.registrar.hop.address] : [])]);
  const messages = createAllowance(MESSAGES_AT_ONCE_MAX, MESSAGES_PER_MS);
  const over = Promise.withResolvers<void>();
  let state: "calling" | "proceeding" | "answered" | "over" = "calling";
  let dialog: Peer | undefined;
  let invite: { branch: string; sequence: number; headers: readonly Header[] } | undefined;
  let hasBegun = false;
  let isLeaving = false;
  let isCanceled = false;
  let unreadable = 0;
  const authorization = createAuthorization(credential, "INVITE", uri);
  const hopText = `${transport.toUpperCase()} at ${order.hop.address}:${order.hop.port}`;
  const common = (to: string, cseq: string): Header[] => commonHeaders(from, to, callId, cseq);
  const requests = createDialogRequests(transactions, { from, callId });
  const peerRequests = createPeerRequests(socket, answers, steps, {
    hungUp() {
      finish();
      events.hungUp();
    },
    changed: events.changed,
  });

  /** The socket stays open for some time, in order to answer repeated messages. */
  function finish(): void {
    if (state === "over") return;
    state = "over";
    peerRequests.stop();
    registration?.end();
    over.resolve();
    setTimeout(close, TIMERS.t4Ms);
  }

  function close(): void {
    transactions.stop();
    socket.close();
  }

  function fail(failure: CallFailure, by: "agent" | "outside", status: number | null = null): void {
    if (state === "over") return;
    steps.note("ended", by, status);
    finish();
    events.failed(failure);
  }

  function begin(): void {
    hasBegun = true;
    if (!registration) return sendInvite();
    registration.begin((failure, status) => {
      if (failure) return fail(failure, status === null ? "outside" : "agent", status);
      steps.note("registered", "agent", status);
      if (isLeaving) finish();
      else sendInvite();
    });
  }

  function sendInvite(): void {
    const branch = transactions.newBranch();
    const number = transactions.nextSequence();
    const headers = [...order.route, ...common(`<${uri}>`, `${number} INVITE`)];
    invite = { branch, sequence: number, headers };
    const more: Header[] = [contact, ["Allow", ALLOW], ["User-Agent", "svc"], ["Content-Type", "application/sdp"]];
    const all = [viaOf(branch), ...headers, ...authorization.headers, ...order.headers, ...more];
    const bytes = writeMessage(`INVITE ${uri} SIP/2.0`, all, order.offer);
    const send = () => socket.send(bytes, order.hop);
    steps.note("invited", "caller");
    const noAnswer = () => {
      transactions.remove(branch);
      if (isLeaving) finish();
      else fail(noAnswerFrom(hopText, unreadable), "outside");
    };
    const sending = retransmit(send, TIMERS.transactionMs, noAnswer, !isUdp);
    const receive = (response: SipMessage) => {
      const status = response.status!;
      sending.stop();
      if (status < 200) return provisional(status);
      if (status < 300) return void accept(response);
      acknowledgeFailure(response, branch, number);
      if (invite!.branch !== branch || state === "over" || state === "answered") return;
      if (!isLeaving && authorization.answers(response)) {
        steps.note("challenged", "agent", status);
        return sendInvite();
      }
      if (isLeaving) finish();
      else {
        const before = { hasRung: steps.hasRung(), isChallenged: steps.has("challenged") };
        fail(failureOfStatus(status, before), "agent", status);
      }
    };
    transactions.add(branch, { method: "INVITE", sequence: number, callId, sending, receive });
  }

  function provisional(status: number): void {
    if (state === "calling") state = "proceeding";
    if (status > 100 && state === "proceeding") {
      if (!steps.has("ringing") || (status === 180 && !steps.hasRung())) steps.note("ringing", "agent", status);
      events.ringing();
    }
    if (isLeaving) sendCancel();
  }

  /** The ACK of an error response belongs to the transaction of the INVITE. */
  function acknowledgeFailure(response: SipMessage, branch: string, number: number): void {
    const headers = [viaOf(branch), ...order.route, ...common(response.headers.get("to")![0]!, `${number} ACK`)];
    socket.send(writeMessage(`ACK ${uri} SIP/2.0`, headers), order.hop);
  }

  /** The ACK of a 200 is a separate request to the target of the dialog. */
  async function accept(response: SipMessage): Promise<void> {
    const known = acks.get(response.toTag);
    if (known) return socket.send(known.bytes, known.hop);
    const reached = await dialogOf(response).catch(() => undefined);
    if (acks.has(response.toTag) || acks.size >= ROUTES_MAX) return;
    if (!reached) {
      if (state !== "answered") fail(unusableRoute(), "outside");
      return;
    }
    hosts.add(reached.hop.address);
    const bytes = writeMessage(`ACK ${reached.target} SIP/2.0`, acknowledgement(reached, response.sequence));
    acks.set(response.toTag, { bytes, hop: reached.hop });
    socket.send(bytes, reached.hop);
    // Another phone answered too, or the 200 arrived after a CANCEL was sent.
    if (dialog || isLeaving || state === "over") return sendBye(reached);
    dialog = reached;
    state = "answered";
    steps.note("answered", "agent", response.status);
    const failure = events.answered(response.body);
    if (!failure) return;
    isLeaving = true;
    steps.note("ended", failure.reason === "agent_error" ? "agent" : "outside");
    sendBye(reached);
    events.failed(failure);
  }

  const dialogOf = ({ headers, toTag }: SipMessage): Promise<Peer> =>
    peerOf({
      to: headers.get("to")![0]!,
      tag: toTag,
      route: (headers.get("record-route") ?? []).toReversed(),
      target: uriOf(headers.get("contact")?.[0] ?? uri),
      connected: isUdp ? undefined : order.hop,
      resolve: order.resolve,
    });

  const acknowledgement = (to: Peer, number: number): Header[] => [
    viaOf(transactions.newBranch()),
    ...requests.headersTo(to, number, "ACK"),
    ...authorization.headers,
  ];

  const sendBye = (to: Peer) =>
    requests.sendBye(to, () => {
      if (to === dialog || !dialog) finish();
    });

  function sendCancel(): void {
    if (isCanceled) return;
    isCanceled = true;
    const { branch, sequence: number, headers } = invite!;
    const kept = headers.filter(([name]) => name !== "CSeq");
    const bytes = writeMessage(`CANCEL ${uri} SIP/2.0`, [viaOf(branch), ...kept, ["CSeq", `${number} CANCEL`]]);
    const send = () => socket.send(bytes, order.hop);
    const sending = retransmit(send, TIMERS.t2Ms, () => {}, !isUdp);
    const receive = (response: SipMessage) => {
      if (response.status! >= 200) sending.stop();
    };
    transactions.add(branch, { method: "CANCEL", sequence: number, callId, sending, receive });
    // Usually a 487 or a 200 to the INVITE follows. Without either, the call ends after this time.
    setTimeout(() => {
      if (!dialog) finish();
    }, TIMERS.transactionMs).unref();
  }

  const answer = (message: SipMessage, status: number, body: string, to: Hop) =>
    socket.send(answers.write(message, status, body), to);

  function receiveRequest(message: SipMessage, to: Hop): void {
    const { method } = message;
    const isOurs = dialog && message.toTag === localTag && message.fromTag === dialog.tag;
    if (method === "ACK") return isOurs ? peerRequests.acknowledged(message) : undefined;
    const before = answers.to(message);
    if (before) return socket.send(before, to);
    if (!HANDLED.has(method)) return answer(message, 405, "", to);
    if (method === "OPTIONS" && message.toTag === "") return answer(message, 200, "", to);
    if (!isOurs || state === "over" || method === "CANCEL") return answer(message, 481, "", to);
    peerRequests.receive(message, to);
  }

  socket.onMessage((datagram, from) => {
    if (!hosts.has(from.address) || !messages.take(1)) return;
    const message = parseMessage(datagram);
    if (!message) {
      // Other datagrams without a readable message, such as keep-alives, are no SIP.
      if (datagram.includes("SIP/2.0")) unreadable++;
      return;
    }
    const isOfCall = message.callId === callId;
    if (message.status === null) {
      if (isOfCall) receiveRequest(message, from);
      else if (message.method !== "ACK") answer(message, message.method === "OPTIONS" ? 200 : 481, "", from);
      return;
    }
    if (message.fromTag === localTag) transactions.receive(message);
  });
  socket.onUnreachable(() => {
    if (state === "calling" || (!isUdp && state === "proceeding")) fail(noAnswerFrom(hopText, unreadable), "outside");
  });

  return {
    begin,
    unreadable: () => unreadable,
    hangUp() {
      if (state !== "over" && !isLeaving) {
        isLeaving = true;
        steps.note("ended", "caller");
        if (!hasBegun) finish();
        else if (dialog) sendBye(dialog);
        else if (state === "proceeding") sendCancel();
      }
      return over.promise;
    },
  };
}
