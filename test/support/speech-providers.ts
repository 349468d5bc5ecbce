import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { sine } from "../../packages/server/src/voice/audio/surroundings/sources.ts";
import { monoBytes, wavHeader } from "../../packages/server/src/voice/audio/wav-writing.ts";
import { answerJson, openFakeService, type Received } from "./fake-service.ts";

// Fakes of the speech APIs of OpenAI, ElevenLabs, Deepgram and Cartesia, written from their documentation. A request that the
// provider would refuse is refused.

export const SPEECH_PROVIDER_IDS = ["openai", "elevenlabs", "deepgram", "cartesia"] as const;
export type SpeechProviderId = (typeof SPEECH_PROVIDER_IDS)[number];

/** How the fakes answer: correctly, with an error status, or with a body that is not an answer of the provider. */
type Behavior =
  | { kind: "right" }
  | { kind: "status"; status: number; headers?: Record<string, string>; times?: number }
  | { kind: "garbage" }
  | { kind: "empty" }
  | { kind: "silence" }
  | { kind: "endless" }
  | { kind: "redirect"; to: string };

/** The parts of a request that specs compare. */
type AskedSpeech = { port: "tts" | "stt"; text: string; wav: Buffer; fields: Record<string, unknown> };

const TONE_SECONDS = 0.5;
const TRANSCRIPT = "I would like to book a table.";

function tone(rate: number): Buffer {
  const next = sine(440, rate);
  return monoBytes(Int16Array.from({ length: rate * TONE_SECONDS }, () => Math.round(next() * 10_000)));
}

/** Returns a WAV file as a server streams it, without the length of the sound in the header. */
const streamedWav = (rate: number): Buffer => Buffer.concat([wavHeader(rate, 1, null), tone(rate)]);

type Fields = Record<string, string | Buffer>;

/** Returns the fields of a form, or undefined for another body. */
function formOf({ headers, body }: Received): Fields | undefined {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) return undefined;
  const parts = body.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head, ...rest] = part.slice(2).split("\r\n\r\n");
      const content = rest.join("\r\n\r\n").slice(0, -2);
      const name = /name="([^"]+)"/.exec(head!)![1]!;
      return [name, /filename=/.test(head!) ? Buffer.from(content, "latin1") : content];
    }),
  );
}

type Answer = { asked: AskedSpeech; type: string; body: Buffer } | { refusal: string };

const json = (value: unknown) => ({ type: "application/json", body: Buffer.from(JSON.stringify(value)) });
const heard = (fields: Fields, wav: Buffer): AskedSpeech => ({ port: "stt", text: "", wav, fields });
const spoken = (text: string, fields: Record<string, unknown>): AskedSpeech => ({
  port: "tts",
  text,
  wav: Buffer.alloc(0),
  fields,
});

type Fake = { keyOf: (headers: IncomingHttpHeaders) => unknown; answer: (asked: Received, url: URL) => Answer };

const bearer = (headers: IncomingHttpHeaders) => headers.authorization?.replace("Bearer ", "");

const FAKES: Record<SpeechProviderId, Fake> = {
  openai: {
    keyOf: bearer,
    answer(asked, { pathname }) {
      if (pathname.endsWith("/audio/speech")) {
        const fields = JSON.parse(asked.body.toString()) as Record<string, string>;
        const { model, input = "", voice, response_format } = fields;
        if (!model || !voice || input.length > 4_096 || response_format !== "wav") return { refusal: "bad speech" };
        return { asked: spoken(input, fields), type: "audio/wav", body: streamedWav(24_000) };
      }
      const form = formOf(asked);
      if (!pathname.endsWith("/audio/transcriptions") || !form?.["model"]) return { refusal: "bad transcription" };
      return { asked: heard(form, form["file"] as Buffer), ...json({ text: TRANSCRIPT }) };
    },
  },
  elevenlabs: {
    keyOf: (headers) => headers["xi-api-key"],
    answer(asked, { pathname, searchParams }) {
      const voice = /^\/v1\/text-to-speech\/([^/]+)$/.exec(pathname)?.[1];
      if (voice !== undefined) {
        const fields = JSON.parse(asked.body.toString()) as { text?: string; [field: string]: unknown };
        if (searchParams.get("output_format") !== "pcm_16000" || !fields.text) return { refusal: "bad format" };
        if (fields["language_code"] && fields["model_id"] === "eleven_multilingual_v2")
          return { refusal: "language_code is not supported" };
        return { asked: spoken(fields.text, { voice, ...fields }), type: "audio/pcm", body: tone(16_000) };
      }
      const form = formOf(asked);
      if (pathname !== "/v1/speech-to-text" || !form?.["model_id"]) return { refusal: "bad transcription" };
      return {
        asked: heard(form, form["file"] as Buffer),
        ...json({ language_code: "eng", text: TRANSCRIPT, words: [] }),
      };
    },
  },
  deepgram: {
    keyOf: (headers) => headers.authorization?.replace("Token ", ""),
    answer(asked, { pathname, searchParams }) {
      const query = Object.fromEntries(searchParams);
      if (pathname === "/v1/speak") {
        const { text = "" } = JSON.parse(asked.body.toString()) as { text?: string };
        const isRaw = query["encoding"] === "linear16" && query["container"] === "none";
        if (!isRaw || !query["model"] || text.length > 2_000) return { refusal: "bad speech" };
        return { asked: spoken(text, query), type: "audio/l16", body: tone(Number(query["sample_rate"])) };
      }
      if (pathname !== "/v1/listen" || asked.headers["content-type"] !== "audio/wav")
        return { refusal: "bad listening" };
      const results = { channels: [{ alternatives: [{ transcript: TRANSCRIPT, confidence: 0.9, words: [] }] }] };
      return { asked: heard(query, asked.body), ...json({ metadata: {}, results }) };
    },
  },
  cartesia: {
    keyOf: (headers) => headers["cartesia-version"] === "2026-08-14" && bearer(headers),
    answer(asked, { pathname }) {
      if (pathname === "/tts/bytes") {
        const fields = JSON.parse(asked.body.toString()) as Record<string, unknown>;
        const { output_format, transcript } = fields as {
          output_format?: Record<string, unknown>;
          transcript?: string;
        };
        const { container, encoding, sample_rate } = output_format ?? {};
        if (container !== "raw" || encoding !== "pcm_s16le" || !transcript) return { refusal: "bad speech" };
        return { asked: spoken(transcript, fields), type: "audio/pcm", body: tone(Number(sample_rate)) };
      }
      const form = formOf(asked);
      if (pathname !== "/stt" || !form?.["model"]) return { refusal: "bad transcription" };
      return {
        asked: heard(form, form["file"] as Buffer),
        ...json({ type: "transcript", text: TRANSCRIPT, duration: 1 }),
      };
    },
  },
};

/** Starts all fakes on one server. The path of each request begins with the provider's name. */
export async function openSpeechProviders(key: string) {
  const asked: AskedSpeech[] = [];
  let behavior: Behavior = { kind: "right" };

  const service = await openFakeService((received, response) => {
    if (behavior.kind !== "right" && !isPast(behavior)) return misbehave(behavior, response);
    const url = new URL(received.url, "http://provider");
    const [, provider, ...path] = url.pathname.split("/");
    url.pathname = `/${path.join("/")}`;
    const { keyOf, answer } = FAKES[provider as SpeechProviderId];
    if (keyOf(received.headers) !== key) return answerJson(response, 401, { error: "invalid key" });
    const answered = answer(received, url);
    if ("refusal" in answered) return answerJson(response, 400, { error: answered.refusal });
    asked.push(answered.asked);
    response.writeHead(200, { "content-type": answered.type }).end(answered.body);
  });

  return {
    ...service,
    asked,
    addressOf: (provider: SpeechProviderId) => new URL(`${service.url}/${provider}/`),
    behave: (next: Behavior) => void (behavior = next),
    transcript: TRANSCRIPT,
  };
}

/** Returns whether a behavior has already answered as many requests as it should, and counts this request. */
function isPast(behavior: Behavior): boolean {
  return behavior.kind === "status" && behavior.times !== undefined && behavior.times-- <= 0;
}

function misbehave(behavior: Behavior, response: ServerResponse): void {
  switch (behavior.kind) {
    case "status":
      return answerJson(response, behavior.status, { error: "inner words" }, behavior.headers);
    case "garbage":
      return void response.writeHead(200, { "content-type": "text/html" }).end("!");
    case "empty":
      return void response.writeHead(200).end();
    case "redirect":
      return void response.writeHead(302, { location: behavior.to }).end();
    case "endless":
      response.writeHead(200);
      return void response.end(Buffer.alloc(200_000));
    case "right":
    case "silence":
  }
}
