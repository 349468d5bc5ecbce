import { setTimeout as delay } from "node:timers/promises";
import { powerOf, SOUND_POWER } from "../../../audio/level.ts";
import { outboundFaultOf } from "../../../../base/net/outbound.ts";
import { CallFailure, type LineOrder, type MediaLine, type MediaLineEvents } from "../../call.ts";
import { createCallSteps } from "../../call-steps.ts";
import { failureToConnect } from "../socket-failures.ts";
import { longestCall, noEncoding, nobodyAnswered, noTrustedTls, soundLost, unusableSound } from "./endings.ts";
import { type Header, hostOf } from "./message.ts";
import { createRtpSound, type RtpSound } from "./rtp.ts";
import { readSdp, type RemoteSound, writeSdp } from "./sdp.ts";
import { createSignalling } from "./signalling.ts";
import { DEFAULT_PORTS, type Hop } from "./signalling-socket.ts";
import { addressOf, openSockets, refuseAddress } from "./sockets.ts";

type SipOrder = Extract<LineOrder, { kind: "sip" }>;

const ANSWER_TIMEOUT_MS = 45_000;
const SOUND_LOST_SECONDS = 15;
const CLOSE_TIMEOUT_MS = 1_000;

/** Errors with these codes are caused by this machine, and are no evidence about the agent. */
const OF_THIS_MACHINE = new Set(["EADDRINUSE", "EADDRNOTAVAIL", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EACCES"]);

const isOfThisMachine = (error: unknown): boolean =>
  OF_THIS_MACHINE.has((error as NodeJS.ErrnoException | undefined)?.code ?? "");

/** Creates the line of an agent that is called over SIP, with sound over RTP. */
export function createSipLine(order: SipOrder, events: MediaLineEvents): MediaLine {
  const { privateAddresses, credential } = order;
  const steps = createCallSteps();
  const answered = Promise.withResolvers<void>();
  answered.promise.catch(() => {});
  let signalling: ReturnType<typeof createSignalling> | undefined;
  let sound: RtpSound | undefined;
  let isUp = false;
  let isClosed = false;
  let current: RemoteSound | undefined;
  let version = 1;
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

  function soundOf(description: Buffer): RemoteSound | CallFailure {
    const remote = readSdp(description);
    if (!remote) return noEncoding();
    try {
      if (remote.address !== "0.0.0.0") refuseAddress(remote.address, privateAddresses);
      return remote;
    } catch {
      return unusableSound();
    }
  }

  async function hopOf(uri: string): Promise<Hop> {
    const { host, port } = hostOf(uri, DEFAULT_PORTS[order.transport])!;
    return { address: await addressOf(host, privateAddresses), port };
  }

  async function call(signal: AbortSignal): Promise<void> {
    const { account, outboundProxy, transport } = order;
    const proxy = outboundProxy === undefined ? undefined : hostOf(outboundProxy, DEFAULT_PORTS[transport]);
    const hop = await hopOf(outboundProxy ?? order.uri);
    const registrar = account === undefined ? undefined : { account, hop: await hopOf(outboundProxy ?? account) };
    const { host } = hostOf(outboundProxy ?? order.uri)!;
    const sockets = await openSockets({ hop, host, transport }).catch((error: unknown) => {
      const { code = "" } = error as NodeJS.ErrnoException;
      throw outboundFaultOf(code) === "tls" ? noTrustedTls(host) : error;
    });
    const { own } = sockets.signalling;
    const rtp = (sound = createRtpSound(sockets, events.pressed));
    const port = sockets.sound.address().port;
    signalling = createSignalling(
      {
        uri: order.uri,
        hop,
        socket: sockets.signalling,
        credential,
        registrar,
        caller: order.caller,
        route:
          proxy === undefined
            ? []
            : [
                [
                  "Route",
                  `<sip:${proxy.host}:${proxy.port}${transport === "udp" ? "" : `;transport=${transport}`};lr>`,
                ],
              ],
        headers: Object.entries(order.headers) as unknown as Header[],
        offer: writeSdp(own.address, port, version),
        resolve: (host) => addressOf(host, privateAddresses),
        steps,
      },
      {
        ringing: events.waitsForAgent,
        answered(description) {
          const agreed = soundOf(description);
          if (agreed instanceof CallFailure) return agreed;
          current = agreed;
          rtp.use(current, hop.address);
          answered.resolve();
          return undefined;
        },
        failed: fail,
        hungUp: () => end("agent_ended", null),
        changed(description) {
          const changed = description.length === 0 ? current : soundOf(description);
          if (!changed || changed instanceof CallFailure) return undefined;
          current = changed;
          rtp.use(changed, hop.address);
          return writeSdp(own.address, port, ++version, changed);
        },
      },
    );
    if (isClosed || signal.aborted) return closeAll();
    signalling.begin();
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
        throw nobodyAnswered(ANSWER_TIMEOUT_MS / 1_000, steps.has("ringing"));
      });
      timeout.catch(() => {});
      try {
        await Promise.race([answered.promise, timeout]);
        isUp = true;
        endAfter(order.maxSeconds);
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
      codec: current?.codec ?? null,
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
