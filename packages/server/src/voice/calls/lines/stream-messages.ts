import { CallFailure, type Codec } from "../call.ts";

type StreamMessage =
  | { event: "media"; payload: Buffer }
  | { event: "mark"; name: string }
  | { event: "clear" }
  | { event: "stop" }
  /** An event that the service ignores, such as `connected` or `dtmf`. */
  | { event: "other" };

const MARK_NAME_CHARACTERS_MAX = 500;
/**
 * Largest number of JSON values in a message, because all calls of a process wait while it parses a message. Sound is a single value of any
 * length.
 */
const VALUES_MAX = 10_000;
const VALUE_STARTS = /[,[{]/g;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Throws a `CallFailure` with the reason when the message violates the protocol. */
export function readStreamMessage(text: string, codec: Codec): StreamMessage {
  const message = objectOf(text);
  switch (message["event"]) {
    case "media":
      return { event: "media", payload: payloadOf(message["media"], codec) };
    case "mark":
      return { event: "mark", name: nameOf(message["mark"]) };
    case "clear":
      return { event: "clear" };
    case "stop":
      return { event: "stop" };
    default:
      if (typeof message["event"] === "string") return { event: "other" };
      throw broken('a message without "event"');
  }
}

const broken = (what: string): CallFailure =>
  new CallFailure("agent_error", `The agent sent ${what} on the media stream.`);

function objectOf(text: string): Record<string, unknown> {
  if (hasTooManyValues(text)) throw broken(`JSON with more than ${VALUES_MAX} values`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw broken("something that is not JSON");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw broken("JSON that is not an object");
}

function hasTooManyValues(text: string): boolean {
  const starts = text.matchAll(VALUE_STARTS);
  for (let values = 0; values <= VALUES_MAX; values++) if (starts.next().done) return false;
  return true;
}

const RATES: Record<Codec, number> = { mulaw_8k: 8_000, pcm_16k: 16_000 };

function payloadOf(media: unknown, codec: Codec): Buffer {
  const { payload, sampleRate } = (media ?? {}) as { payload?: unknown; sampleRate?: unknown };
  const rate = Number(sampleRate ?? RATES[codec]);
  if (rate !== RATES[codec])
    throw broken(`sound at ${rate} Hz, while the connection's codec ${codec} has ${RATES[codec]} Hz,`);
  if (typeof payload !== "string" || !BASE64.test(payload)) throw broken("a media message without a Base64 payload");
  const bytes = Buffer.from(payload, "base64");
  if (bytes.subarray(0, 4).toString("latin1") === "RIFF")
    throw broken("a WAV file instead of raw sound; it must leave out the file's header");
  if (codec === "pcm_16k" && bytes.length % 2 === 1)
    throw broken("an odd number of bytes, while the connection's codec pcm_16k has two bytes in each sample");
  return bytes;
}

function nameOf(mark: unknown): string {
  const name = (mark as { name?: unknown } | null | undefined)?.name;
  if (typeof name === "string" && name.length <= MARK_NAME_CHARACTERS_MAX) return name;
  throw broken("a mark without a name of at most 500 characters");
}
