import { setTimeout as sleep } from "node:timers/promises";
import { exchange, type OutboundAnswer, OutboundFailure } from "../../base/net/outbound.ts";
import { retryAfterSecondsOf } from "../../base/net/retry-after.ts";
import type { SpeechAccess } from "./access.ts";
import type { ProviderRequest } from "./provider-request.ts";
import { SpeechFailure } from "./speech.ts";

export const SPEECH_BOUNDS = {
  tries: 3,
  pauseMs: 500,
  pauseMaxMs: 5_000,
  timeoutMs: 30_000,
  maxBytes: 32 * 1024 * 1024,
};
export type SpeechBounds = typeof SPEECH_BOUNDS;

type Question = { name: string; access: SpeechAccess; request: ProviderRequest; bounds: SpeechBounds };

/**
 * Sends a request to a speech provider, again while the provider is busy or unreachable. Rejects with a `SpeechFailure`, whose message
 * quotes nothing that the provider sent, or with the reason of the signal.
 */
export async function askProvider(question: Question, signal: AbortSignal): Promise<Buffer> {
  const { tries, pauseMs, pauseMaxMs } = question.bounds;
  for (let tried = 1; ; tried++) {
    const { answer, failure } = await ask(question, signal);
    if (failure === undefined) return answer!.body;
    if (failure.fault !== "unavailable" || tried === tries) throw failure;
    const asked = answer && retryAfterSecondsOf(answer.headers);
    const pause = asked === undefined ? pauseMs * 2 ** (tried - 1) : asked * 1_000;
    if (pause > pauseMaxMs) throw failure;
    await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

type Outcome = { answer?: OutboundAnswer; failure?: SpeechFailure };

async function ask({ name, access, request, bounds }: Question, signal: AbortSignal): Promise<Outcome> {
  const { path, query = {}, headers = {}, ...content } = request;
  const url = new URL(path, access.address);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  try {
    const answer = await exchange({
      method: "POST",
      url,
      headers: { accept: "*/*", ...headers, ...access.headers },
      ...content,
      timeoutMs: bounds.timeoutMs,
      maxBytes: bounds.maxBytes,
      privateAddresses: "allow",
      signal,
    });
    const failure = failureOfStatus(name, access, answer.status);
    return { answer, ...(failure && { failure }) };
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    signal.throwIfAborted();
    return { failure: failureOfExchange(name, access, error) };
  }
}

function failureOfStatus(name: string, { source }: SpeechAccess, status: number): SpeechFailure | undefined {
  if (status === 200) return undefined;
  const keyPlace = source === "settings" ? "the key in the service's settings" : "the stored key";
  if (status === 401 || status === 403)
    return new SpeechFailure("refused", `${name} refuses ${keyPlace} (${status}). Replace the key.`);
  if (status === 402) return new SpeechFailure("refused", `${name} says that the account has no credit left (402).`);
  if (status === 429)
    return new SpeechFailure("unavailable", `${name} accepts no more requests for now (429). Try again later.`);
  if (status >= 500) return new SpeechFailure("unavailable", `${name} failed to answer (${status}). Try again later.`);
  return new SpeechFailure(
    "refused",
    `${name} refuses the request (${status}). Check the persona's model, voice and language.`,
  );
}

const REMEDY = {
  settings: "Check SVC_TTS_BASE_URL and SVC_STT_BASE_URL.",
  key: "Try again later.",
} as const;

function failureOfExchange(name: string, { source }: SpeechAccess, { fault, message }: OutboundFailure): SpeechFailure {
  const isPassing = fault === "timeout" || fault === "unreachable";
  return new SpeechFailure(
    isPassing ? "unavailable" : "refused",
    `${name} gave no answer: ${message}. ${REMEDY[source]}`,
  );
}
