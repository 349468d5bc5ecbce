import { type LanguageModel, LanguageModelFailure } from "../../language-model/language-model.ts";
import type { Judge } from "./judge.ts";
import { REPLY_SCHEMA } from "./reply.ts";

const TIMEOUT_MS = 60_000;
const REPLY_TOKENS_MAX = 2_000;

/** Creates a judge from a language model, at temperature 0 and with a fixed shape of answers. */
export function createJudge(model: LanguageModel, signal: AbortSignal | undefined, timeoutMs = TIMEOUT_MS): Judge {
  return {
    model: model.model,
    async ask(messages) {
      try {
        const { text } = await model.complete({
          messages,
          jsonSchema: REPLY_SCHEMA,
          temperature: 0,
          maxTokens: REPLY_TOKENS_MAX,
          timeoutMs,
          ...(signal && { signal }),
        });
        return { text };
      } catch (error) {
        if (error instanceof LanguageModelFailure) return { problem: error.message };
        throw error;
      }
    },
  };
}
