import { setTimeout as delay } from "node:timers/promises";
import { powerOf, SOUND_POWER } from "../../../audio/level.ts";
import { outboundFaultOf } from "../../../../base/net/outbound.ts";
import { CallFailure, type LineOrder, type MediaLine, type MediaLineEvents } from "../../call.ts";
import { createCallSteps } from "../../call-steps.ts";
import { failureToConnect } from "../socket-failures.ts";
import { type CallSound, createCallSound } from "./call-sound.ts";
import { longestCall, nobodyAnswered, noTrustedTls, soundLost } from "./endings.ts";
import { createWaiting } from "./incoming.ts";
import { type Header, hostOf } from "./message.ts";
import { createSignalling } from "./signalling.ts";
import { DEFAULT_PORTS, type Hop, type Transport } from "./signalling-socket.ts";
import { addressOf, openSockets } from "./sockets.ts";

type Dialed = Extract<LineOrder, { kind: "sip" }>;
type WaitedFor = Extract<LineOrder, { kind: "incoming_call" }>;

const ANSWER_TIMEOUT_MS = 45_000;
const SOUND_LOST_SECONDS = 15;
const CLOSE_TIMEOUT_MS = 1_000;

/** Errors with these codes are caused by this machine, and are no evidence about the agent. */
const OF_THIS_MACHINE = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EACCES"]);

const isOfThisMachine = (error: unknown): boolean =>
  OF_THIS_MACHINE.has((error as NodeJS.ErrnoException | undefined)?.code ?? "");

/** Creates the line of an agent that is called over SIP or that calls over SIP, with sound over RTP. */
export function createSipLine(order: Dialed | WaitedFor, events: MediaLineEvents): MediaLine {
  const { privateAddresses, credential } = order;
  const steps = createCallSteps();
  const answered = Promise.withResolvers<void>();
  answered.promise.catch(() => {});
  let signalling: ReturnType<typeof createSignalling> | ReturnType<typeof createWaiting> | undefined;
  let sound: CallSound | undefined;
  let isUp = false;
  let isClosed = false;
  let longest: NodeJS.Timeout | undefined;

  const end: MediaLineEvents["ended"] = (reason, note) => {
    if (!isUp) return;
    isUp = false;
    events.ended(reason, note);
  };

  function fail(failure: CallFailure): void {
    answered.reject(failure);
    end(failure.reason, failure.message);
  }

  async function hopOf(uri: string): Promise<Hop> {
    const { host, port } = hostOf(uri, DEFAULT_PORTS[order.transport])!;
    return { address: await addressOf(host, privateAddresses), port };
  }

  async function call(signal: AbortSignal): Promise<void> {
    const { account, outboundProxy, transport } = order;
    const to = outboundProxy ?? (order.kind === "sip" ? order.uri : order.account);
    const hop = await hopOf(to);
    const registrar = account === undefined ? undefined : { account, hop: await hopOf(outboundProxy ?? account) };
    const { host } = hostOf(to)!;
    const sockets = await openSockets({ hop, host, transport }).catch((error: unknown) => {
      const { code = "" } = error as NodeJS.ErrnoException;
      throw outboundFaultOf(code) === "tls" ? noTrustedTls(host) : error;
    });
    sound = createCallSound(sockets, privateAddresses, events.pressed);
    const common = {
      socket: sockets.signalling,
      credential,
      route: outboundProxy === undefined ? [] : [routeThrough(outboundProxy, transport)],
      headers: Object.entries(order.headers) as unknown as Header[],
      resolve: (name: string) => addressOf(name, privateAddresses),
      steps,
    };
    signalling = order.kind === "sip" ? dial(order, sound) : wait(order, sound);
    if (isClosed || signal.aborted) return closeAll();
    signalling.begin();

    function dial({ uri, caller }: Dialed, ofCall: CallSound) {
      return createSignalling(
        { ...common, uri, hop, registrar, caller, offer: ofCall.offer() },
        {
          ringing: events.waitsForAgent,
          answered(description) {
            const failure = ofCall.take(description, hop.address);
            if (!failure) answered.resolve();
            return failure;
          },
          failed: fail,
          hungUp: () => end("agent_ended", null),
          changed: (description) => changedBy(ofCall, description, hop.address),
        },
      );
    }

    function wait({ simulationId, callers, matching, waitSeconds }: WaitedFor, ofCall: CallSound) {
      let signals = hop.address;
      return createWaiting(
        { ...common, registrar: registrar!, simulationId, callers, matching, waitMs: waitSeconds * 1_000 },
        {
          waiting: events.waitsForAgent,
          offered: (description, from) => ofCall.answer(description, (signals = from.address)),
          offer: ofCall.offer,
          established(description, from) {
            const failure = description.length === 0 ? undefined : ofCall.take(description, (signals = from.address));
            if (!failure) answered.resolve();
            return failure;
          },
          failed: fail,
          hungUp: () => end("agent_ended", null),
          changed: (description) => changedBy(ofCall, description, signals),
        },
      );
    }
  }

  function endAfter(seconds: number | undefined): void {
    if (seconds !== undefined) longest = setTimeout(() => end(...longestCall(seconds)), seconds * 1_000).unref();
  }

  async function closeAll(): Promise<void> {
    clearTimeout(longest);
    sound?.close();
    await Promise.race([signalling?.hangUp(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  return {
    async connect(signal) {
      const over = new AbortController();
      signal.addEventListener("abort", () => answered.reject(signal.reason), { once: true });
      await call(signal).catch((error: unknown) => {
        if (isOfThisMachine(error)) throw error;
        steps.note("ended", "outside");
        throw error instanceof CallFailure ? error : failureToConnect(error);
      });
      const late = delay(ANSWER_TIMEOUT_MS, undefined, { signal: over.signal, ref: false });
      const timeout = late.then(() => {
        const unreadable = signalling && "unreadable" in signalling ? signalling.unreadable() : 0;
        throw nobodyAnswered(ANSWER_TIMEOUT_MS / 1_000, steps.hasRung(), unreadable);
      });
      timeout.catch(() => {});
      try {
        // A wait for a call has its own limit.
        await (order.kind === "sip" ? Promise.race([answered.promise, timeout]) : answered.promise);
        isUp = true;
        endAfter(order.kind === "sip" ? order.maxSeconds : undefined);
      } finally {
        over.abort();
      }
    },

    send: (frame) => sound?.send(frame),
    press: (key) => sound?.press(key),

    hear() {
      const frame = sound!.hear();
      if (!steps.has("heard") && powerOf(frame) > SOUND_POWER) steps.note("heard", "agent");
      if (isUp && sound!.silentMs() >= SOUND_LOST_SECONDS * 1_000) {
        steps.note("ended", "outside");
        end(...soundLost(SOUND_LOST_SECONDS));
      }
      return frame;
    },

    facts: () => ({
      steps: [...steps.list],
      codec: sound?.codec() ?? null,
      received: null,
      sent: null,
      ...sound?.packets(),
      roundTripMs: sound?.roundTripMs() ?? null,
      estimatedMos: sound?.estimatedMos() ?? null,
    }),

    async close() {
      isUp = false;
      if (isClosed) return;
      isClosed = true;
      await closeAll();
    },
  };
}

function changedBy(sound: CallSound, description: Buffer, signalling: string): string | undefined {
  const answer = sound.answer(description, signalling);
  return answer instanceof CallFailure ? undefined : answer;
}

function routeThrough(proxy: string, transport: Transport): Header {
  const { host, port } = hostOf(proxy, DEFAULT_PORTS[transport])!;
  return ["Route", `<sip:${host}:${port}${transport === "udp" ? "" : `;transport=${transport}`};lr>`];
}
