import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModelSettings } from "../config.ts";
import { openExchange, type OutboundStream } from "../outbound.ts";
import { eventsOf } from "./event-stream.ts";
import { failureOf, failureOfStatus, isPassing, LanguageModelFailure, malformed } from "./failure.ts";
import { bodyOf, type Completion, completionOf, type Dialect, openAssembly, type Request } from "./wire.ts";

export type { Completion, Message, Request, Tool, ToolUse, Usage } from "./wire.ts";
export { LanguageModelFailure } from "./failure.ts";

export type LanguageModel = ReturnType<typeof openLanguageModel>;

/** A part of an answer as it comes; the last one is the whole. */
export type Delta = { text: string } | { completion: Completion };

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 20_000;
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
const DONE = "[DONE]";

/** A chat model behind an endpoint of the OpenAI API; every failure is a `LanguageModelFailure`. */
export function openLanguageModel({ baseUrl, apiKey, model }: LanguageModelSettings, firstPauseMs = FIRST_PAUSE_MS) {
  const url = new URL(`${baseUrl}/chat/completions`);
  let dialect: Dialect = "full";

  async function post(request: Request, deadlineMs: number, asked: Dialect, stream: boolean): Promise<OutboundStream> {
    const timeoutMs = Math.ceil(deadlineMs - performance.now());
    if (timeoutMs <= 0) throw new LanguageModelFailure("timeout", "did not answer in time.");
    return openExchange({
      method: "POST",
      url,
      headers: { authorization: `Bearer ${apiKey}`, ...(stream && { accept: "text/event-stream" }) },
      json: bodyOf(model, request, asked, stream),
      timeoutMs,
      maxBytes: ANSWER_BYTES_MAX,
      ...(request.signal && { signal: request.signal }),
    });
  }

  /** An answer of status 200, not yet read. */
  async function ask(request: Request, deadlineMs: number, stream: boolean): Promise<OutboundStream> {
    const asked = dialect;
    let answer = await post(request, deadlineMs, asked, stream);
    if (asked === "full" && (answer.status === 400 || answer.status === 422)) {
      await leave(answer);
      answer = await post(request, deadlineMs, "plain", stream);
      if (answer.status === 200) dialect = "plain";
    }
    if (answer.status === 200) return answer;
    await leave(answer);
    throw failureOfStatus(answer.status, answer.headers["retry-after"]);
  }

  /** Tries again what fails by itself, while there is time for it. */
  async function trying<Answer>(request: Request, attempt: (deadlineMs: number) => Promise<Answer>): Promise<Answer> {
    const deadlineMs = performance.now() + request.timeoutMs;
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(deadlineMs);
      } catch (error) {
        const failure = failureOf(error);
        const pauseMs = pauseBefore(tries, failure, firstPauseMs);
        const isLast = tries === TRIES_MAX || performance.now() + pauseMs >= deadlineMs;
        if (!isPassing(failure) || isLast) throw failure;
        await sleep(pauseMs, undefined, { ...(request.signal && { signal: request.signal }) }).catch(() => {
          throw new LanguageModelFailure("canceled", "was not waited for.");
        });
      }
    }
  }

  return {
    model,

    complete(request: Request): Promise<Completion> {
      return trying(request, async (deadlineMs) => {
        const { chunks } = await ask(request, deadlineMs, false);
        const parts: Buffer[] = [];
        for await (const chunk of chunks) parts.push(chunk);
        return completionOf(Buffer.concat(parts));
      });
    },

    /** The text as it comes. Only what fails before the first part is tried again. */
    async *stream(request: Request): AsyncGenerator<Delta> {
      const { chunks } = await trying(request, (deadlineMs) => ask(request, deadlineMs, true));
      const assembly = openAssembly();
      try {
        for await (const event of eventsOf(chunks)) {
          if (event === DONE) break;
          const text = assembly.take(event);
          if (text !== "") yield { text };
        }
      } catch (error) {
        throw failureOf(error);
      }
      const completion = assembly.end();
      if (completion === undefined) throw malformed("an answer that broke off");
      yield { completion };
    },
  };
}

/** Nothing of a refusal is read: it may say anything, the key among it. */
async function leave({ chunks }: OutboundStream): Promise<void> {
  for await (const _ of chunks) break;
}

function pauseBefore(tries: number, { retryAfterSeconds }: LanguageModelFailure, firstPauseMs: number): number {
  const asked = retryAfterSeconds === undefined ? firstPauseMs * 2 ** (tries - 1) : retryAfterSeconds * 1000;
  return Math.min(asked, PAUSE_MS_MAX);
}
