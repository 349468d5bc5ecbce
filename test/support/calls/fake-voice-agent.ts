import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { decodeMulaw, encodeMulaw } from "../../../packages/server/src/voice/audio/mulaw.ts";
import { createVoiceActivity } from "../../../packages/server/src/voice/audio/voice-activity.ts";
import { tone } from "../audio/tones.ts";

const RATE = 8_000;

/** A message that the service sends on the media stream. */
type StreamMessage = {
  event: string;
  streamSid?: string;
  sequenceNumber?: string;
  start?: { mediaFormat: { sampleRate: number }; customParameters: Record<string, string> };
  media?: { payload: string; chunk: string; timestamp: string };
  mark?: { name: string };
};

/** A call that the fake agent receives. */
export type FakeCall = {
  socket: WebSocket;
  request: IncomingMessage;
  /** The service's messages, except those with sound. */
  messages: StreamMessage[];
  /** The samples that the agent received, at 8 kHz. */
  heard: Int16Array[];
  send: (message: object) => void;
  /** Sends a sound that a speech detector takes for speech. */
  say: (seconds: number) => void;
  /** Runs when the caller starts to speak. */
  onCallersStart: (react: () => void) => void;
  /** Runs at the end of each turn of the caller. */
  onCallersTurn: (answer: (turn: number) => void) => void;
};

export type FakeVoiceAgent = Awaited<ReturnType<typeof startFakeVoiceAgent>>;

/**
 * Starts a voice agent that speaks in syllables of one tone. The path of the address chooses its behavior, which starts with the
 * stream.
 */
export async function startFakeVoiceAgent(behaviors: Record<string, (call: FakeCall) => void>) {
  const calls: FakeCall[] = [];
  const http = createServer((_request, response) => response.writeHead(404).end());
  const server = new WebSocketServer({ noServer: true });
  http.on("upgrade", (request, socket, head) => {
    const behave = behaviors[request.url!.slice(1)];
    if (!behave) return void socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    server.handleUpgrade(request, socket, head, (open) => {
      const call = callOf(open, request);
      calls.push(call);
      open.once("message", () => open.once("message", () => behave(call)));
    });
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  const address = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    calls,
    urlOf: (behavior: string) => `${address}/${behavior}`,
    stop(): void {
      for (const socket of server.clients) socket.terminate();
      http.closeAllConnections();
      http.close();
    },
  };
}

function callOf(socket: WebSocket, request: IncomingMessage): FakeCall {
  const messages: StreamMessage[] = [];
  const heard: Int16Array[] = [];
  const activity = createVoiceActivity({ rate: RATE, onMs: 100, offMs: 300 });
  let react: (() => void) | undefined;
  let answer: ((turn: number) => void) | undefined;
  let turns = 0;
  let streamSid = "";
  let isPcm = false;
  const send = (message: object) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ streamSid, ...message }));
  };
  socket.on("error", () => {});
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString("utf8")) as StreamMessage;
    if (message.event !== "media") {
      streamSid = message.streamSid ?? "";
      isPcm ||= message.start?.mediaFormat.sampleRate === 16_000;
      messages.push(message);
      return;
    }
    const bytes = Buffer.from(message.media!.payload, "base64");
    const samples = isPcm ? narrowed(bytes) : decodeMulaw(bytes);
    heard.push(samples);
    const edge = activity.push(samples);
    if (edge?.kind === "started") react?.();
    if (edge?.kind === "stopped") answer?.(++turns);
  });
  return {
    socket,
    request,
    messages,
    heard,
    send,
    say: (seconds) => send({ event: "media", media: { payload: syllablesOf(seconds) } }),
    onCallersStart: (run) => (react = run),
    onCallersTurn: (run) => (answer = run),
  };
}

/** Returns every second sample of PCM at 16 kHz. The result still shows when the caller speaks. */
const narrowed = (bytes: Buffer): Int16Array =>
  Int16Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readInt16LE(at * 4));

const sound = (seconds: number, rate: number): Int16Array => {
  const level = (at: number) => 0.4 + 0.6 * Math.abs(Math.cos((4 * Math.PI * at) / rate));
  return tone(400, seconds, 0.3, rate).map((sample, at) => Math.round(sample * level(at)));
};

/**
 * Returns a sound whose level falls and rises eight times a second, as that of syllables does. The service does not take a steady
 * tone for speech.
 */
export const syllablesOf = (seconds: number): string =>
  Buffer.from(encodeMulaw(sound(seconds, RATE))).toString("base64");

/** Returns the sound of `syllablesOf` as PCM at 16 kHz. */
export const pcmSyllablesOf = (seconds: number): string =>
  Buffer.from(sound(seconds, 16_000).buffer).toString("base64");
