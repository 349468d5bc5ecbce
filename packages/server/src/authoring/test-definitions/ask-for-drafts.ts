import { LIMITS, SET_LANGUAGE_MODEL } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { LanguageModelFailure, type Request } from "../../grading/language-model/language-model.ts";
import type { LanguageModels } from "../../grading/language-model/open.ts";
import type { ModelUsage } from "../../grading/language-model/usage.ts";
import { tooManyRequests } from "../../http/rate-limit.ts";
import { createLimit } from "../../http/shared-rate-limit.ts";
import type { Db } from "../../stores/relational.ts";

const MAX_TOKENS = 12_000;
const RETRY_AFTER_SECONDS = 10;

/** `read` returns undefined for an answer of another form than asked. */
type Question<Reply> = Pick<Request, "messages" | "jsonSchema"> & {
  temperature: number;
  read: (text: string) => Reply | undefined;
};

export type AskForDrafts = ReturnType<typeof createAskForDrafts>;

/** Asks the organization's language model for drafts of tests, a few times a minute for each organization. */
export function createAskForDrafts(db: Db, modelOf: LanguageModels["ofOrganization"]) {
  const perMinute = createLimit(db, "prompt drafts", LIMITS.promptDraftsPerMinute);

  return async <Reply extends object>(
    organizationId: string,
    { read, ...question }: Question<Reply>,
  ): Promise<Reply & { model: string; usage: ModelUsage }> => {
    const model = await modelOf(organizationId);
    if (model === undefined)
      throw new AppError(
        "conflict",
        `There is no language model to draft tests. ${SET_LANGUAGE_MODEL}, or draft tests of the agent's tools: svc tests from-tools FILE`,
      );
    const window = await perMinute.count(organizationId);
    if (window.exceeded)
      throw tooManyRequests(
        window,
        `The organization has used its ${window.limit} drafts for this minute. Wait ${window.resetSeconds} s.`,
      );
    const answer = await model
      .complete({ ...question, maxTokens: MAX_TOKENS, timeoutMs: LIMITS.promptDraftSeconds * 1_000 })
      .catch((error: unknown) => {
        throw error instanceof LanguageModelFailure ? unavailable(error.message) : error;
      });
    const reply = read(answer.text);
    if (reply === undefined) {
      const isCut = answer.finishReason === "length";
      throw unavailable(
        isCut
          ? "The language model's answer was too long. Ask for fewer drafts."
          : "The language model answered in another form than asked. Try again, or set another model.",
      );
    }
    return { ...reply, model: answer.servedModel ?? model.model, usage: answer.usage };
  };
}

const unavailable = (message: string) =>
  new AppError("provider_unavailable", message, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });

const strict = (properties: Record<string, unknown>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Parts of the JSON schema of an answer. */
export const SCHEMA = {
  object: strict,
  text: { type: "string" },
  list: (items: unknown) => ({ type: "array", items }),
};
