import type { WebSocket } from "ws";
import { CALL_RATE, FRAME_MS, joined } from "../../audio/audio.ts";
import { encodeMulaw } from "../../audio/mulaw.ts";
import { createResampler } from "../../audio/resample.ts";
import { monoBytes } from "../../audio/wav-writing.ts";
import { openSocket } from "../../../base/net/outbound-socket.ts";
import { CallFailure, type Codec, type LineOrder, type MediaLine, type MediaLineEvents } from "../call.ts";
import { createAllowance } from "./allowance.ts";
import { createPlayout } from "./playout.ts";
import { brokenSocket, failureOfAnswer, failureToConnect } from "./socket-failures.ts";
import { readStreamMessage } from "./stream-messages.ts";

type MediaStreamOrder = Extract<LineOrder, { kind: "media_stream" }>;

const CODECS: Record<Codec, { rate: number; encoding: string }> = {
  mulaw_8k: { rate: 8_000, encoding: "audio/x-mulaw" },
  pcm_16k: { rate: 16_000, encoding: "audio/x-l16" },
};

const HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Limit of the received bytes. An agent may send minutes of speech in a burst. After the burst, it may send several times as fast as the
 * sound is played.
 */
const BYTES_AT_ONCE_MAX = 24 * 1024 * 1024;
const BYTES_PER_MS = 256;
const MESSAGES_AT_ONCE_MAX = 40_000;
const MESSAGES_PER_MS = 0.5;
/**
 * Most messages that are read for one frame. Further messages wait in the socket, because a burst of small messages would delay the frames
 * of all calls.
 */
const MESSAGES_PER_FRAME_MAX = 250;
/**
 * Limit of WebSocket pings. An agent pings the connection from time to time. The library would end the connection after 60 unsent pongs,
 * as if the agent had broken it, so pings are answered here.
 */
const PINGS_AT_ONCE_MAX = 100;
const PINGS_PER_MS = 0.05;
/** Number of frames in a sent message. Telephony providers send messages of 20 ms. */
const FRAMES_PER_MESSAGE = 2;
/** The call ends when more bytes than this wait because the agent does not read them. */
const UNSENT_BYTES_MAX = 4 * 1024 * 1024;
/** Close codes of a normal end by the agent: normal closure, going away, and no code. */
const ENDED_IN_ORDER = new Set([1000, 1001, 1005]);

/**
 * Creates the connection to an agent over a WebSocket with the media-stream protocol of telephony providers. Messages are JSON with sound
 * in Base64. When the sound before a `mark` has been played, the service sends the `mark` back. A `clear` drops the sound that waits to be
 * played.
 */
export function createMediaStream(order: MediaStreamOrder, callId: string, events: MediaLineEvents): MediaLine {
  const { rate, encoding } = CODECS[order.codec];
  const down = createResampler(CALL_RATE, rate);
  const playout = createPlayout(order.codec);
  const bytes = createAllowance(BYTES_AT_ONCE_MAX, BYTES_PER_MS);
  const messages = createAllowance(MESSAGES_AT_ONCE_MAX, MESSAGES_PER_MS);
  const pings = createAllowance(PINGS_AT_ONCE_MAX, PINGS_PER_MS);
  const unsent: Int16Array[] = [];
  let socket: WebSocket | undefined;
  let sequenceNumber = 0;
  let chunk = 0;
  let receivedInFrame = 0;
  let isUp = false;

  const send = (event: string, members: object) =>
    socket?.send(JSON.stringify({ event, sequenceNumber: String(++sequenceNumber), streamSid: callId, ...members }));

  const end = (...[reason, note]: Parameters<MediaLineEvents["ended"]>) => {
    if (!isUp) return;
    isUp = false;
    // After a failure, the socket is terminated immediately, so that a flood of messages is not read any further.
    if (reason !== "agent_ended") socket?.terminate();
    events.ended(reason, note);
  };

  function receive(data: Buffer, isBinary: boolean): void {
    if (!bytes.take(data.length) || !messages.take(1)) throw flood("more messages than a call needs");
    if (isBinary)
      throw new CallFailure("agent_error", "The agent sent a binary message; the media stream has JSON only.");
    const message = readStreamMessage(data.toString("utf8"), order.codec);
    if (message.event === "media" && !playout.push(message.payload))
      throw flood("more than 10 minutes of sound that the caller has not heard yet");
    if (message.event === "mark" && !playout.mark(() => send("mark", { mark: { name: message.name } })))
      throw flood("more marks than a call needs");
    if (message.event === "clear") playout.clear();
    if (message.event === "stop") end("agent_ended", null);
  }

  function startStream(): void {
    socket!.send(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
    send("start", {
      start: {
        streamSid: callId,
        callSid: callId,
        accountSid: "svc",
        tracks: ["inbound"],
        mediaFormat: { encoding, sampleRate: rate, channels: 1 },
        customParameters: order.parameters,
      },
    });
  }

  return {
    connect: (signal) =>
      new Promise((connected, failed) => {
        try {
          socket = openSocket(new URL(order.url), {
            headers: order.headers,
            privateAddresses: order.privateAddresses,
            handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
            messageBytesMax: MESSAGE_BYTES_MAX,
            autoPong: false,
          });
        } catch (error) {
          return failed(failureToConnect(error));
        }
        const giveUp = () => socket?.terminate();
        signal.addEventListener("abort", giveUp, { once: true });
        socket.once("open", () => {
          signal.removeEventListener("abort", giveUp);
          isUp = true;
          startStream();
          connected();
        });
        socket.once("unexpected-response", (_request, { statusCode = 0 }) => {
          failed(failureOfAnswer(statusCode, order.headers["authorization"] !== undefined));
          socket?.terminate();
        });
        socket.on("message", (data: Buffer, isBinary) => {
          if (!isUp) return;
          if (++receivedInFrame > MESSAGES_PER_FRAME_MAX) socket!.pause();
          try {
            receive(data, isBinary);
          } catch (error) {
            if (!(error instanceof CallFailure)) throw error;
            end(error.reason, error.message);
          }
        });
        for (const event of ["ping", "pong"])
          socket.on(event, (data: Buffer) => {
            if (!pings.take(1)) end("agent_error", flood("more pings than a call needs").message);
            else if (event === "ping") socket!.pong(data);
          });
        socket.on("error", (error) => {
          failed(failureToConnect(error));
          end("agent_error", brokenSocket(error, MESSAGE_BYTES_MAX));
        });
        socket.on("close", (code) => {
          failed(failureToConnect(new Error("the connection was closed")));
          if (ENDED_IN_ORDER.has(code)) end("agent_ended", null);
          else end("agent_error", `The agent broke the connection during the call (code ${code}).`);
        });
      }),

    send(frame) {
      receivedInFrame = 0;
      socket?.resume();
      unsent.push(frame);
      if (unsent.length < FRAMES_PER_MESSAGE) return;
      const samples = down.push(joined(unsent.splice(0)));
      if (!isUp || socket!.readyState !== socket!.OPEN) return;
      if (socket!.bufferedAmount > UNSENT_BYTES_MAX)
        return end("agent_error", "The agent does not read the sound that it receives.");
      const payload = order.codec === "mulaw_8k" ? Buffer.from(encodeMulaw(samples)) : monoBytes(samples);
      const timestamp = chunk * FRAMES_PER_MESSAGE * FRAME_MS;
      chunk++;
      send("media", {
        media: {
          track: "inbound",
          chunk: String(chunk),
          timestamp: String(timestamp),
          payload: payload.toString("base64"),
        },
      });
    },

    press: (digit) => {
      if (isUp) send("dtmf", { dtmf: { track: "inbound_track", digit } });
    },

    hear: playout.next,

    async close() {
      isUp = false;
      const open = socket;
      if (!open || open.readyState === open.CLOSED) return;
      if (open.readyState !== open.OPEN) return open.terminate();
      open.resume();
      send("stop", { stop: { accountSid: "svc", callSid: callId } });
      const closed = new Promise((resolve) => open.once("close", resolve));
      open.close(1000);
      const timer = setTimeout(() => open.terminate(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

const flood = (what: string): CallFailure => new CallFailure("agent_error", `The agent sent ${what}.`);
