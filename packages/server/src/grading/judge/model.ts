import { type LanguageModel, LanguageModelFailure } from "../language-model/language-model.ts";
import type { ModelUsage } from "../language-model/usage.ts";
import type { Judge } from "./ask.ts";
import { REPLY_SCHEMA } from "./reply.ts";

const TIMEOUT_MS = 120_000;
/** The token limits of a reply are high, because models that reason count their reasoning as tokens of the reply. */
const REPLY_TOKENS = 2_000;
const REPLY_TOKENS_PER_BEHAVIOR = 500;

export type Spending = {
  /** Returns why no further request is allowed; null if a request is allowed. */
  refusal: () => Promise<string | null>;
  add: (usage: ModelUsage) => Promise<void>;
};

type JudgeOptions = { signal?: AbortSignal | undefined; spending?: Spending | undefined; timeoutMs?: number };

export function createJudge(
  model: LanguageModel,
  { signal, spending, timeoutMs = TIMEOUT_MS }: JudgeOptions = {},
): Judge {
  return {
    async ask(messages, { temperature, behaviors }) {
      const stopped = (await spending?.refusal()) ?? null;
      if (stopped !== null) return { stopped };
      try {
        const { text, finishReason, servedModel, dialect, usage } = await model.complete({
          messages,
          jsonSchema: REPLY_SCHEMA,
          temperature,
          maxTokens: REPLY_TOKENS + behaviors * REPLY_TOKENS_PER_BEHAVIOR,
          timeoutMs,
          ...(signal && { signal }),
        });
        await spending?.add(usage);
        return { text, isCut: finishReason === "length", model: servedModel ?? model.model, dialect, usage };
      } catch (error) {
        if (error instanceof LanguageModelFailure) return { failure: error.message };
        throw error;
      }
    },
  };
}
