import type { WebSocket } from "ws";
import type { Audio } from "../../../voice/audio/audio.ts";
import { decodeMulaw, encodeMulaw } from "../../../voice/audio/mulaw.ts";
import { resample } from "../../../voice/audio/resample.ts";
import { createVoiceActivity, type VoiceActivity } from "../../../voice/audio/voice-activity.ts";
import { monoBytes } from "../../../voice/audio/wav-writing.ts";

/** Shortest sound of the caller that counts as speech, and the pause that ends the caller's turn. */
const SPEECH_MS = 100;
const END_OF_TURN_MS = 500;
/** Duration of the sound in one message. The other side buffers the sound until it plays it. */
const MESSAGE_MS = 200;

type Lines = { greeting: Audio; answers: readonly Audio[] };

type StreamMessage =
  | { event: "start"; streamSid: string; start: { mediaFormat: { encoding: string; sampleRate: number } } }
  | { event: "media"; media: { payload: string } }
  | { event: "mark"; mark: { name: string } }
  | { event: "connected" | "stop" | "dtmf" };

/**
 * Conducts one conversation over a media stream. The agent recognizes no words: it answers each turn of the caller with its next
 * line. With `yields`, the agent stops speaking when the caller interrupts it.
 */
export function converse(socket: WebSocket, { greeting, answers }: Lines, yields: boolean): void {
  let streamSid = "";
  let codec: StreamCodec | undefined;
  let activity: VoiceActivity | undefined;
  let said = 0;
  let heard = 0;
  let turns = 0;

  const send = (event: string, members: object = {}) => socket.send(JSON.stringify({ event, streamSid, ...members }));

  function say(line: Audio): void {
    const { samples, rate } = resample(line, codec!.rate);
    const step = (rate * MESSAGE_MS) / 1_000;
    for (let at = 0; at < samples.length; at += step) {
      const payload = codec!.encode(samples.subarray(at, at + step)).toString("base64");
      send("media", { media: { payload } });
    }
    said++;
    send("mark", { mark: { name: String(said) } });
  }

  function listen(payload: string): void {
    const edge = activity!.push(codec!.decode(Buffer.from(payload, "base64")));
    // This is the deliberate defect: without `yields`, the agent continues to speak when the caller interrupts it.
    if (edge?.kind === "started" && yields && heard < said) send("clear");
    if (edge?.kind === "stopped" && turns < answers.length) say(answers[turns++]!);
  }

  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString("utf8")) as StreamMessage;
    switch (message.event) {
      case "start":
        streamSid = message.streamSid;
        codec = codecOf(message.start.mediaFormat);
        if (!codec) return socket.close(1003, "Send audio/x-mulaw at 8000 Hz or audio/x-l16 at 16000 Hz.");
        activity = createVoiceActivity({ rate: codec.rate, onMs: SPEECH_MS, offMs: END_OF_TURN_MS });
        return say(greeting);
      case "media":
        return activity && listen(message.media.payload);
      case "mark":
        heard = Number(message.mark.name);
        if (heard > answers.length) socket.close(1000);
        return;
      case "stop":
        return socket.close(1000);
      default:
        return;
    }
  });
  socket.on("error", () => socket.terminate());
}

type StreamCodec = {
  rate: number;
  encode: (samples: Int16Array) => Buffer;
  decode: (bytes: Buffer) => Int16Array;
};

const CODECS: Record<string, StreamCodec> = {
  "audio/x-mulaw": { rate: 8_000, encode: (samples) => Buffer.from(encodeMulaw(samples)), decode: decodeMulaw },
  "audio/x-l16": {
    rate: 16_000,
    encode: monoBytes,
    decode: (bytes) => Int16Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(at * 2)),
  },
};

const codecOf = (format: { encoding: string; sampleRate: number }): StreamCodec | undefined => {
  const codec = CODECS[format.encoding];
  return codec?.rate === format.sampleRate ? codec : undefined;
};
