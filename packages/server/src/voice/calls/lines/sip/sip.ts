import { setTimeout as delay } from "node:timers/promises";
import { CallFailure, type LineOrder, type MediaLine, type MediaLineEvents } from "../../call.ts";
import { failureToConnect } from "../socket-failures.ts";
import { nobodyAnswered, soundLost } from "./endings.ts";
import { type Header, hostOf } from "./message.ts";
import { createRtpSound, type RtpSound } from "./rtp.ts";
import { readSdp, type RemoteSound, writeSdp } from "./sdp.ts";
import { createSignalling } from "./signalling.ts";
import { addressOf, openSockets, refuseAddress } from "./udp.ts";

type SipOrder = Extract<LineOrder, { kind: "sip" }>;

/** A telephone rings for so long. */
const ANSWER_TIMEOUT_MS = 45_000;
const SOUND_LOST_SECONDS = 15;
const CLOSE_TIMEOUT_MS = 1_000;

/** Creates the line of an agent that is called over SIP and UDP, with sound in PCMU or PCMA over RTP. */
export function createSipLine(order: SipOrder, events: MediaLineEvents): MediaLine {
  const { privateAddresses, credential } = order;
  const answered = Promise.withResolvers<void>();
  answered.promise.catch(() => {});
  let signalling: ReturnType<typeof createSignalling> | undefined;
  let sound: RtpSound | undefined;
  let isUp = false;
  let isClosed = false;
  let version = 1;

  const end: MediaLineEvents["ended"] = (reason, note) => {
    if (!isUp) return;
    isUp = false;
    events.ended(reason, note);
  };

  function fail(failure: CallFailure): void {
    answered.reject(failure);
    end(failure.reason, failure.message);
  }

  /** Returns the sound that a description of the other side agrees on, when the service may send to its address. */
  function usableSound(description: Buffer): RemoteSound | undefined {
    const remote = readSdp(description);
    if (!remote) return undefined;
    try {
      if (remote.address !== "0.0.0.0") refuseAddress(remote.address, privateAddresses);
      return remote;
    } catch {
      return undefined;
    }
  }

  async function call(signal: AbortSignal): Promise<void> {
    const target = hostOf(order.outboundProxy ?? order.uri)!;
    const hop = { address: await addressOf(target.host, privateAddresses), port: target.port };
    const sockets = await openSockets(hop);
    const { own } = sockets.signalling;
    const rtp = (sound = createRtpSound(sockets.sound));
    const port = sockets.sound.address().port;
    let current: RemoteSound | undefined;
    signalling = createSignalling(
      {
        uri: order.uri,
        hop,
        socket: sockets.signalling,
        credential,
        route: order.outboundProxy === undefined ? [] : [["Route", `<sip:${target.host}:${target.port};lr>`]],
        headers: Object.entries(order.headers) as unknown as Header[],
        offer: writeSdp(own.address, port, version),
        resolve: (host) => addressOf(host, privateAddresses),
      },
      {
        ringing: events.waitsForAgent,
        answered(description) {
          current = usableSound(description);
          if (!current) return false;
          rtp.use(current, hop.address);
          answered.resolve();
          return true;
        },
        failed: fail,
        hungUp: () => end("agent_ended", null),
        changed(description) {
          const changed = description.length === 0 ? current : usableSound(description);
          if (!changed) return undefined;
          current = changed;
          rtp.use(changed, hop.address);
          return writeSdp(own.address, port, ++version, changed);
        },
      },
    );
    if (isClosed || signal.aborted) return closeAll();
    signalling.invite();
  }

  async function closeAll(): Promise<void> {
    sound?.close();
    await Promise.race([signalling?.hangUp(), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  return {
    async connect(signal) {
      const over = new AbortController();
      signal.addEventListener("abort", () => answered.reject(signal.reason), { once: true });
      await call(signal).catch((error: unknown) => {
        throw error instanceof CallFailure ? error : failureToConnect(error);
      });
      const late = delay(ANSWER_TIMEOUT_MS, undefined, { signal: over.signal, ref: false });
      const timeout = late.then(() => {
        throw nobodyAnswered(ANSWER_TIMEOUT_MS / 1_000);
      });
      timeout.catch(() => {});
      try {
        await Promise.race([answered.promise, timeout]);
        isUp = true;
      } finally {
        over.abort();
      }
    },

    send: (frame) => sound?.send(frame),

    hear() {
      const frame = sound!.hear();
      if (sound!.silentMs() >= SOUND_LOST_SECONDS * 1_000) end(...soundLost(SOUND_LOST_SECONDS));
      return frame;
    },

    async close() {
      isUp = false;
      if (isClosed) return;
      isClosed = true;
      await closeAll();
    },
  };
}
