import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModelSettings } from "../../base/config/config.ts";
import { ranMsSince } from "../../base/async/event-loop-stalls.ts";
import { exchange, type OutboundAnswer, type PrivateAddresses } from "../../base/net/outbound.ts";
import { failureOf, failureOfStatus, isPassing, LanguageModelFailure } from "./failure.ts";
import { type ModelUsage, usageOf } from "./usage.ts";
import { bodyOf, type Completion, completionOf, type Dialect, type Request } from "./wire.ts";

export type { Dialect, Message, Request } from "./wire.ts";
export { LanguageModelFailure } from "./failure.ts";

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 20_000;
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;

type ModelAnswer = Omit<Completion, "tokens"> & { dialect: Dialect; usage: ModelUsage };

export type LanguageModel = {
  model: string;
  hasPrices: boolean;
  /**
   * Sends a request to the model. Repeats it while the endpoint is busy or unreachable, and time is left. Throws `LanguageModelFailure`.
   */
  complete: (request: Request) => Promise<ModelAnswer>;
};

/** Creates a client for a chat model behind an endpoint of the OpenAI API. */
export function createLanguageModel(
  { baseUrl, apiKey, model, prices, privateAddresses }: LanguageModelSettings & { privateAddresses: PrivateAddresses },
  firstPauseMs = FIRST_PAUSE_MS,
): LanguageModel {
  const url = new URL(`${baseUrl}/chat/completions`);
  let dialect: Dialect = "full";
  let takesSeed = true;

  async function post(request: Request, leftMs: () => number, asked: Dialect): Promise<OutboundAnswer> {
    const timeoutMs = Math.ceil(leftMs());
    if (timeoutMs <= 0) throw new LanguageModelFailure("timeout", "did not answer in time.");
    return exchange({
      method: "POST",
      url,
      headers: { authorization: `Bearer ${apiKey}` },
      json: bodyOf(model, request, asked),
      timeoutMs,
      maxBytes: ANSWER_BYTES_MAX,
      privateAddresses,
      ...(request.signal && { signal: request.signal }),
    });
  }

  /**
   * Sends a request. If the endpoint rejects it, sends it again without a seed, and then in the plain dialect. Error messages never quote a
   * rejection, because it may contain the API key.
   */
  async function ask({ seed, ...unseeded }: Request, leftMs: () => number): Promise<ModelAnswer> {
    let asked = dialect;
    const isSeeded = seed !== undefined && takesSeed;
    const request: Request = isSeeded ? { ...unseeded, seed } : unseeded;
    let answer = await post(request, leftMs, asked);
    if (asked === "full" && isSeeded && isRefused(answer)) {
      answer = await post(unseeded, leftMs, asked);
      if (answer.status === 200) takesSeed = false;
    }
    if (asked === "full" && isRefused(answer)) {
      asked = "plain";
      answer = await post(request, leftMs, asked);
      if (answer.status === 200) dialect = asked;
    }
    if (answer.status !== 200) throw failureOfStatus(answer.status, answer.headers, answer.body);
    const { tokens, ...completion } = completionOf(answer.body);
    return { ...completion, dialect: asked, usage: usageOf(tokens, prices ?? null) };
  }

  async function complete(request: Request): Promise<ModelAnswer> {
    const fromMs = performance.now();
    const leftMs = () => request.timeoutMs - ranMsSince(fromMs);
    for (let tries = 1; ; tries++) {
      try {
        return await ask(request, leftMs);
      } catch (error) {
        const failure = failureOf(error);
        const pauseMs = pauseBefore(tries, failure, firstPauseMs);
        const isLast = tries === TRIES_MAX || pauseMs >= leftMs();
        if (!isPassing(failure) || isLast) throw failure;
        await sleep(pauseMs, undefined, { ...(request.signal && { signal: request.signal }) }).catch(() => {
          throw new LanguageModelFailure("canceled", "was not needed any more.");
        });
      }
    }
  }

  return { model, hasPrices: prices !== undefined, complete };
}

const isRefused = ({ status }: OutboundAnswer): boolean => status === 400 || status === 422;

function pauseBefore(tries: number, { retryAfterSeconds }: LanguageModelFailure, firstPauseMs: number): number {
  const asked = retryAfterSeconds === undefined ? firstPauseMs * 2 ** (tries - 1) : retryAfterSeconds * 1000;
  return Math.min(asked, PAUSE_MS_MAX);
}
