import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { CALL_RATE, joined } from "../../audio/audio.ts";
import { decodeMulaw, encodeMulaw } from "../../audio/mulaw.ts";
import { createResampler } from "../../audio/resample.ts";
import { monoBytes } from "../../audio/wav-writing.ts";
import { OutboundFailure } from "../../outbound.ts";
import { openSocket } from "../../outbound-socket.ts";
import { CallFailure, type Codec, type LineOrder, type MediaLine, type MediaLineEvents } from "../call.ts";
import { createPlayout } from "./playout.ts";
import { readStreamMessage } from "./stream-messages.ts";

type MediaStreamOrder = Extract<LineOrder, { kind: "media_stream" }>;

const CODECS: Record<Codec, { rate: number; encoding: string }> = {
  mulaw_8k: { rate: 8_000, encoding: "audio/x-mulaw" },
  pcm_16k: { rate: 16_000, encoding: "audio/x-l16" },
};

const HANDSHAKE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** An agent may send its speech faster than it is heard, but not this many bytes ahead of the time that has passed. */
const BYTES_AHEAD_MAX = 32 * 1024 * 1024;
const BYTES_PER_MS_MAX = 256;
/** Telephone providers send frames of 20 ms. */
const FRAMES_PER_MESSAGE = 2;
/** Bytes that wait in the socket because the agent does not read. */
const UNSENT_BYTES_MAX = 4 * 1024 * 1024;
/** Closing codes with which an agent ends a call in order. */
const ENDED_IN_ORDER = new Set([1000, 1001, 1005]);

/**
 * Creates the line of an agent behind a WebSocket that speaks the media-stream protocol of telephony providers: JSON messages
 * with sound in Base64, `mark` after played sound and `clear` to stop it.
 */
export function createMediaStream(order: MediaStreamOrder, callId: string, events: MediaLineEvents): MediaLine {
  const { rate, encoding } = CODECS[order.codec];
  const down = createResampler(CALL_RATE, rate);
  let up = createResampler(rate, CALL_RATE);
  const playout = createPlayout();
  const unsent: Int16Array[] = [];
  let socket: WebSocket | undefined;
  let sequenceNumber = 0;
  let chunk = 0;
  let receivedBytes = 0;
  let connectedMs = 0;
  let hasEnded = false;

  const send = (event: string, members: object) =>
    socket?.send(JSON.stringify({ event, sequenceNumber: String(++sequenceNumber), streamSid: callId, ...members }));

  const end = (...reason: Parameters<MediaLineEvents["ended"]>) => {
    if (hasEnded) return;
    hasEnded = true;
    events.ended(...reason);
  };

  function decode(payload: Buffer): Int16Array {
    if (order.codec === "mulaw_8k") return up.push(decodeMulaw(payload));
    return Int16Array.from({ length: payload.length / 2 }, (_, at) => payload.readInt16LE(at * 2));
  }

  function receive(data: Buffer, isBinary: boolean): void {
    receivedBytes += data.length;
    if (receivedBytes > BYTES_AHEAD_MAX + (performance.now() - connectedMs) * BYTES_PER_MS_MAX)
      throw new CallFailure("agent_error", "The agent sent far more bytes than its speech needs.");
    if (isBinary) throw new CallFailure("agent_error", "The agent sent a binary message; the media stream has JSON only.");
    const message = readStreamMessage(data.toString("utf8"), order.codec);
    if (message.event === "media" && !playout.push(decode(message.payload)))
      throw new CallFailure("agent_error", "The agent sent more than 5 minutes of sound that nobody has heard yet.");
    if (message.event === "mark") playout.mark(() => send("mark", { mark: { name: message.name } }));
    if (message.event === "clear") {
      playout.clear();
      up = createResampler(rate, CALL_RATE);
    }
    if (message.event === "stop") end("agent_ended", null);
  }

  function greet(): void {
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
          });
        } catch (error) {
          return failed(failureOf(error));
        }
        signal.addEventListener("abort", () => socket?.terminate(), { once: true });
        socket.once("open", () => {
          connectedMs = performance.now();
          greet();
          connected();
        });
        socket.once("unexpected-response", (_request, response) => {
          failed(refusalOf(response));
          socket?.terminate();
        });
        socket.on("message", (data: Buffer, isBinary) => {
          if (hasEnded) return;
          try {
            receive(data, isBinary);
          } catch (error) {
            const { reason, message } = failureOf(error);
            end(reason, message);
          }
        });
        socket.on("error", (error) => {
          failed(failureOf(error));
          end("agent_error", `The connection to the agent broke: ${error.message}.`);
        });
        socket.on("close", (code) => {
          failed(new CallFailure("connection_refused", "The agent's endpoint closed the connection before the call."));
          if (ENDED_IN_ORDER.has(code)) end("agent_ended", null);
          else end("agent_error", `The agent broke the connection (code ${code}).`);
        });
      }),

    send(frame) {
      unsent.push(frame);
      if (unsent.length < FRAMES_PER_MESSAGE || socket?.readyState !== socket?.OPEN) return;
      if (socket!.bufferedAmount > UNSENT_BYTES_MAX)
        return end("agent_error", "The agent does not read the sound that it receives.");
      const samples = down.push(joined(unsent.splice(0)));
      const payload = order.codec === "mulaw_8k" ? Buffer.from(encodeMulaw(samples)) : monoBytes(samples);
      chunk++;
      send("media", {
        media: {
          track: "inbound",
          chunk: String(chunk),
          timestamp: String((chunk - 1) * FRAMES_PER_MESSAGE * 10),
          payload: payload.toString("base64"),
        },
      });
    },

    hear: playout.next,

    async close() {
      hasEnded = true;
      const open = socket;
      if (!open || open.readyState === open.CLOSED) return;
      if (open.readyState !== open.OPEN) return open.terminate();
      send("stop", { stop: { accountSid: "svc", callSid: callId } });
      const closed = new Promise((resolve) => open.once("close", resolve));
      open.close(1000);
      const timer = setTimeout(() => open.terminate(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

function refusalOf({ statusCode = 0 }: IncomingMessage): CallFailure {
  if (statusCode === 401 || statusCode === 403)
    return new CallFailure(
      "credential_rejected",
      `The agent's endpoint refused the connection's credential (${statusCode}): replace it.`,
    );
  if (statusCode === 429)
    return new CallFailure("rate_limited", "The agent's endpoint answered 429: lower the run's concurrency.");
  return new CallFailure(
    "agent_error",
    `The agent's endpoint answered with status ${statusCode} instead of opening a WebSocket: check the connection's address.`,
  );
}

function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof OutboundFailure) {
    const advice =
      error.fault === "private_address"
        ? "give the connection a public address, or set SVC_OUTBOUND_PRIVATE=true at the service"
        : "give the connection another address";
    return new CallFailure("connection_refused", `${error.message}: ${advice}.`);
  }
  return new CallFailure(
    "connection_refused",
    `Nothing answered at the connection's address: check it, and that the agent runs (${(error as Error).message}).`,
  );
}
