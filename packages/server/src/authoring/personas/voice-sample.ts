import type { ErrorCode } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import type { BinaryAnswer } from "../../http/binary-answer.ts";
import { SpeechFailure, type SpeechFault } from "../../voice/speech/speech.ts";
import type { VoiceSampleOf } from "../../voice/speech/voice-samples.ts";
import type { ProjectPersona } from "./persona.ts";

const CODES: Record<SpeechFault, ErrorCode> = {
  wordless: "unprocessable",
  unspeakable: "unprocessable",
  refused: "unprocessable",
  unavailable: "provider_unavailable",
};
const RETRY_AFTER_SECONDS = 10;

export async function answerVoiceSample(
  voiceSampleOf: VoiceSampleOf,
  organizationId: string,
  { id, current }: ProjectPersona,
  signal: AbortSignal,
): Promise<BinaryAnswer> {
  const { wav, tag } = await voiceSampleOf(organizationId, { id, ...current.content }, signal).catch(refuse);
  return {
    contentType: "audio/wav",
    fileName: `${id}.wav`,
    bytes: wav.length,
    tag,
    open: async (range) => (range === undefined ? wav : wav.subarray(range.start, range.end + 1)),
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof SpeechFailure)) throw error;
  const code = CODES[error.fault];
  const isPassing = code === "provider_unavailable";
  throw new AppError(code, error.message, undefined, isPassing ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {});
}
