import type { LanguageModel, operations } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import type { LanguageModelSettings } from "../../base/config/config.ts";
import { refusalOf } from "../../http/refusal.ts";
import type { LanguageModelInput, LanguageModelRow, StoredLanguageModel } from "./store.ts";

type SetBody = z.output<(typeof operations.languageModel.set)["body"]>;

/** Whoever may set the model must not learn the stored key by naming a host of their own. */
export function decideLanguageModel(current: LanguageModelRow | undefined, body: SetBody): LanguageModelInput {
  if (body.apiKey === undefined) {
    const message = current === undefined ? "Send the key of the language model." : otherHostProblem(current, body);
    if (message !== undefined) throw refusalOf("unprocessable", [{ path: "apiKey", message }]);
  }
  return {
    base_url: body.baseUrl,
    model: body.model,
    price_input: body.prices?.input ?? null,
    price_output: body.prices?.output ?? null,
    apiKey: body.apiKey,
  };
}

const otherHostProblem = ({ base_url }: LanguageModelRow, { baseUrl }: SetBody): string | undefined =>
  new URL(base_url).origin === new URL(baseUrl).origin
    ? undefined
    : "The new address is on another host. Enter the key again: the stored one was entered for the former host.";

export const setBySettings = () =>
  new AppError(
    "conflict",
    "The settings of the service name the language model of all organizations. To set another, remove SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL from them.",
  );

export const presentStored = ({ base_url, hint, updated_at, ...row }: StoredLanguageModel): LanguageModel => ({
  source: "organization",
  model: row.model,
  baseUrl: base_url,
  hint,
  prices: pricesOf(row) ?? null,
  updatedAt: updated_at,
});

export const presentConfigured = ({ model, prices }: LanguageModelSettings): LanguageModel => ({
  source: "settings",
  model,
  baseUrl: null,
  hint: null,
  prices: prices ?? null,
  updatedAt: null,
});

export const pricesOf = ({
  price_input: input,
  price_output: output,
}: Pick<LanguageModelRow, "price_input" | "price_output">) =>
  input === null || output === null ? undefined : { input, output };
