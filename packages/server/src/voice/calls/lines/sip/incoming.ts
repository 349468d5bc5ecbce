import { randomBytes } from "node:crypto";
import type { CallFailure } from "../../call.ts";
import type { CallSteps } from "../../call-steps.ts";
import { createAllowance } from "../allowance.ts";
import { refusalOfCall, requiredBy, type WantedCall } from "./admission.ts";
import { createAnswers } from "./answers.ts";
import { createClientTransactions } from "./client-transactions.ts";
import { ALLOW, createDialogRequests, createPeerRequests, type Peer, peerOf } from "./dialog.ts";
import type { SipCredential } from "./digest.ts";
import { noAcknowledgement, noAnswerFrom, noCall } from "./endings.ts";
import { type Header, parseMessage, type SipMessage, uriOf } from "./message.ts";
import { createRefusals } from "./refusals.ts";
import { createRegistration, type Registrar, WAIT_SECONDS } from "./registration.ts";
import { type Retransmission, retransmit, TIMERS } from "./retransmission.ts";
import type { Hop, SignallingSocket } from "./signalling-socket.ts";

type WaitingOrder = Omit<WantedCall, "contactUser"> & {
  registrar: Registrar;
  socket: SignallingSocket;
  credential: SipCredential | undefined;
  /** Route headers that lead the registration through a proxy. */
  route: readonly Header[];
  /** Headers of the response that takes the call. */
  headers: readonly Header[];
  /** Longest wait from the registration to the call. */
  waitMs: number;
  /** Rejects when the service may not call the host. */
  resolve: (host: string) => Promise<string>;
  steps: CallSteps;
};

type WaitingEvents = {
  /** The service is registered, so the agent may call now. */
  waiting: () => void;
  /** Receives the description of the call's sound. Returns the answer, or the failure when it has no usable sound. */
  offered: (description: Buffer, from: Hop) => string | CallFailure;
  /** Returns a description of the service's sound, for a call that comes without a description. */
  offer: () => string;
  /** The call is established. `description` answers the description of `offer`; it is empty otherwise. */
  established: (description: Buffer, from: Hop) => CallFailure | undefined;
  failed: (failure: CallFailure) => void;
  hungUp: () => void;
  changed: (description: Buffer) => string | undefined;
};

type Waiting = {
  begin: () => void;
  /** Ends the wait or the call. Resolves after the final message, or after its transaction has timed out. */
  hangUp: () => Promise<void>;
};

type Call = {
  invite: SipMessage;
  from: Hop;
  peer: Peer;
  isOffered: boolean;
  isAnswered: boolean;
  isConfirmed: boolean;
  ringing: NodeJS.Timeout | undefined;
  /** The final response, which is sent until the caller acknowledges it. */
  sending: Retransmission | undefined;
};

/** Time for which the phone rings before the service takes the call, so that the caller can still give it up. */
const RING_MS = 1_000;
/** Number of refused calls among the steps of a call. */
const NOTED_REFUSALS_MAX = 3;
const MESSAGES_AT_ONCE_MAX = 200;
const MESSAGES_PER_MS = 0.05;
/** Interval of the empty messages that keep a NAT from forgetting the service. */
const KEEP_ALIVE_MS = 20_000;

const UNUSABLE_SOUND =
  "its description has no sound at an address that the service calls, in PCMU, PCMA or G.722 over RTP/AVP";

const random = (): string => randomBytes(8).toString("hex");

/**
 * Waits for one call as a user agent server of RFC 3261: registers, takes the first call that is for this simulation, and refuses all
 * others. Ignores messages that do not come from the registrar or from the other side of the call.
 */
export function createWaiting(order: WaitingOrder, events: WaitingEvents): Waiting {
  const { registrar, socket, credential, steps } = order;
  const { own, transport } = socket;
  const isUdp = transport === "udp";
  const contactUser = random();
  const localTag = random();
  const address = `<sip:${contactUser}@${own.address}:${own.port}${isUdp ? "" : `;transport=${transport}`}>`;
  const answers = createAnswers({ localTag, contact: ["Contact", address], allow: ALLOW });
  const refusals = createRefusals(socket, answers);
  const transactions = createClientTransactions(socket, credential);
  const registration = createRegistration(registrar, transactions, {
    contact: address,
    localTag: random(),
    route: order.route,
    transport: transport.toUpperCase(),
    seconds: WAIT_SECONDS,
    lost(failure, status) {
      if (state === "waiting" && call === undefined) fail(failure, status === null ? "outside" : "agent", status);
    },
  });
  const peerRequests = createPeerRequests(socket, answers, steps, {
    hungUp() {
      finish();
      events.hungUp();
    },
    changed: events.changed,
  });
  const hosts = new Set([registrar.hop.address]);
  const messages = createAllowance(MESSAGES_AT_ONCE_MAX, MESSAGES_PER_MS);
  const over = Promise.withResolvers<void>();
  let state: "registering" | "waiting" | "in_call" | "over" = "registering";
  let call: Call | undefined;
  let isLeaving = false;
  let refused = 0;
  let canceled = 0;
  let lastRefusal: string | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let isLate = false;

  function finish(): void {
    if (state === "over") return;
    state = "over";
    clearTimeout(deadline);
    clearInterval(keepAlive);
    clearTimeout(call?.ringing);
    peerRequests.stop();
    registration.end();
    over.resolve();
    // The socket stays open for some time, in order to answer repeated messages.
    setTimeout(() => {
      call?.sending?.stop();
      refusals.stop();
      transactions.stop();
      socket.close();
    }, TIMERS.t4Ms);
  }

  function fail(failure: CallFailure, by: "agent" | "outside", status: number | null = null): void {
    if (state === "over") return;
    steps.note("ended", by, status);
    finish();
    events.failed(failure);
  }

  const reply = (message: SipMessage, to: Hop, status: number) => socket.send(answers.write(message, status, ""), to);

  function failWithoutCall(): void {
    fail(noCall(order.waitMs / 1_000, { refused, canceled, lastRefusal }), "outside");
  }

  function waitAgain(): void {
    call = undefined;
    if (isLeaving) finish();
    else if (isLate) failWithoutCall();
  }

  function refuse(message: SipMessage, from: Hop, status: number, why: string, more: readonly Header[] = []): void {
    refused++;
    lastRefusal = why;
    if (refused <= NOTED_REFUSALS_MAX) {
      steps.note("invited", "agent");
      steps.note("refused", "caller", status);
    }
    refusals.refuse(message, from, status, more);
  }

  async function receiveInvite(message: SipMessage, from: Hop): Promise<void> {
    if (call && message.callId === call.invite.callId && message.fromTag === call.invite.fromTag)
      return reply(message, from, 482);
    const refusal = refusalOfCall(message, { ...order, contactUser });
    if (refusal) return refuse(message, from, refusal.status, refusal.why);
    if (state !== "waiting" || isLeaving || call) return refusals.refuse(message, from, call ? 486 : 480);
    const required = requiredBy(message);
    if (required.length > 0) {
      const why = `it required ${required.join(", ").slice(0, 64)}, which the service does not have`;
      return refuse(message, from, 420, why, [["Unsupported", required.join(", ")]]);
    }
    const { headers, fromTag } = message;
    const taken: Call = {
      invite: message,
      from,
      peer: { tag: fromTag, to: headers.get("from")![0]!, target: "", route: [], hop: from },
      isOffered: message.body.length === 0,
      isAnswered: false,
      isConfirmed: false,
      ringing: undefined,
      sending: undefined,
    };
    call = taken;
    reply(message, from, 100);
    const peer = await peerOf({
      to: taken.peer.to,
      tag: fromTag,
      route: headers.get("record-route") ?? [],
      target: uriOf(headers.get("contact")?.[0] ?? ""),
      connected: isUdp ? undefined : from,
      resolve: order.resolve,
    }).catch(() => undefined);
    if (call !== taken) return;
    call = undefined;
    if (!peer) return refuse(message, from, 480, "its Contact or Record-Route has no address that the service calls");
    const description = taken.isOffered ? events.offer() : events.offered(message.body, from);
    if (typeof description !== "string") return refuse(message, from, 488, UNUSABLE_SOUND);
    call = { ...taken, peer };
    ring(call, description);
  }

  function ring(ringing: Call, description: string): void {
    const { invite, from } = ringing;
    steps.note("invited", "agent");
    steps.note("ringing", "caller", 180);
    reply(invite, from, 180);
    ringing.ringing = setTimeout(() => take(ringing, description), RING_MS);
  }

  function take(ringing: Call, description: string): void {
    const { invite, from, peer } = ringing;
    state = "in_call";
    ringing.isAnswered = true;
    clearTimeout(deadline);
    hosts.add(peer.hop.address);
    peerRequests.startAt(invite.sequence);
    steps.note("answered", "caller", 200);
    const bytes = answers.write(invite, 200, description, order.headers);
    ringing.sending = retransmit(
      () => socket.send(bytes, from),
      TIMERS.t2Ms,
      () => {
        bye(ringing);
        if (!isLeaving) fail(noAcknowledgement(), "outside");
      },
    );
  }

  function acknowledged(message: SipMessage): void {
    const current = call;
    if (!current || message.callId !== current.invite.callId) return;
    current.sending?.stop();
    if (!current.isAnswered) return;
    peerRequests.acknowledged(message);
    if (current.isConfirmed || message.fromTag !== current.peer.tag) return;
    current.isConfirmed = true;
    if (isLeaving) return bye(current);
    const failure = events.established(current.isOffered ? message.body : Buffer.alloc(0), current.from);
    if (!failure) return;
    isLeaving = true;
    steps.note("ended", failure.reason === "agent_error" ? "agent" : "outside");
    bye(current);
    events.failed(failure);
  }

  function bye({ invite, peer }: Call): void {
    const own = invite.headers.get("to")![0]!;
    const requests = createDialogRequests(transactions, { from: `${own};tag=${localTag}`, callId: invite.callId });
    requests.sendBye(peer, finish);
  }

  function giveUp({ invite, from, ringing }: Call, status: number): void {
    clearTimeout(ringing);
    refusals.refuse(invite, from, status);
  }

  function receiveCancel(message: SipMessage, from: Hop): void {
    const ringing = call;
    const isOfCall = ringing && message.branch === ringing.invite.branch && message.callId === ringing.invite.callId;
    if (!isOfCall) return reply(message, from, 481);
    reply(message, from, 200);
    if (ringing.isAnswered) return;
    if (canceled++ < NOTED_REFUSALS_MAX) steps.note("canceled", "agent");
    giveUp(ringing, 487);
    waitAgain();
  }

  function receiveRequest(message: SipMessage, from: Hop): void {
    const { method, toTag, branch } = message;
    if (method === "ACK") {
      refusals.acknowledged(branch);
      return acknowledged(message);
    }
    const before = answers.to(message);
    if (before) return socket.send(before, from);
    if (method === "CANCEL") return receiveCancel(message, from);
    if (toTag === "") {
      if (method === "INVITE") return void receiveInvite(message, from);
      return reply(message, from, method === "OPTIONS" ? 200 : method === "BYE" ? 481 : 405);
    }
    const isOfCall =
      call?.isAnswered &&
      message.callId === call.invite.callId &&
      toTag === localTag &&
      message.fromTag === call.peer.tag;
    if (!isOfCall || state !== "in_call") return reply(message, from, 481);
    if (!ALLOW.split(", ").includes(method)) return reply(message, from, 405);
    call!.sending?.stop();
    peerRequests.receive(message, from);
  }

  socket.onMessage((datagram, from) => {
    if (!hosts.has(from.address) || !messages.take(1)) return;
    const message = parseMessage(datagram);
    if (!message) return;
    if (message.status === null) receiveRequest(message, from);
    else transactions.receive(message);
  });
  socket.onUnreachable(() => {
    const where = `${transport.toUpperCase()} at ${registrar.hop.address}:${registrar.hop.port}`;
    if (state === "registering" || (!isUdp && state === "waiting")) fail(noAnswerFrom(where), "outside");
  });

  return {
    begin() {
      registration.begin((failure, status) => {
        if (failure) return fail(failure, status === null ? "outside" : "agent", status);
        if (state === "over") return;
        socket.admitAll();
        steps.note("registered", "agent", status);
        steps.note("waiting", "caller");
        state = "waiting";
        keepAlive = setInterval(() => socket.send(Buffer.from("\r\n\r\n"), registrar.hop), KEEP_ALIVE_MS).unref();
        deadline = setTimeout(() => {
          isLate = true;
          if (!call) failWithoutCall();
        }, order.waitMs);
        events.waiting();
      });
    },
    hangUp() {
      if (state !== "over" && !isLeaving) {
        isLeaving = true;
        steps.note("ended", "caller");
        if (call?.isConfirmed) bye(call);
        else if (!call?.isAnswered) {
          if (call) giveUp(call, 480);
          finish();
        }
      }
      return over.promise;
    },
  };
}
