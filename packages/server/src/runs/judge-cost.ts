import type { LanguageModel } from "../grading/language-model/language-model.ts";
import { AppError } from "../base/errors.ts";
import type { ModelUsage } from "../grading/language-model/usage.ts";
import type { RunRow } from "./rules.ts";

type CostColumns = Pick<
  RunRow,
  | "max_cost"
  | "judge_requests"
  | "judge_input_tokens"
  | "judge_cached_input_tokens"
  | "judge_output_tokens"
  | "judge_cost"
>;

export const costColumns = (maxCost: number | undefined): CostColumns => ({
  max_cost: maxCost ?? null,
  judge_requests: 0,
  judge_input_tokens: 0,
  judge_cached_input_tokens: 0,
  judge_output_tokens: 0,
  judge_cost: 0,
});

/** Adds the usage of requests to the judge's costs. A sum with an unknown part is null. */
export function withUsage(row: Omit<CostColumns, "max_cost">, usage: ModelUsage): Omit<CostColumns, "max_cost"> {
  const plus = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);
  return {
    judge_requests: row.judge_requests + usage.requests,
    judge_input_tokens: plus(row.judge_input_tokens, usage.inputTokens),
    judge_cached_input_tokens: plus(row.judge_cached_input_tokens, usage.cachedInputTokens),
    judge_output_tokens: plus(row.judge_output_tokens, usage.outputTokens),
    judge_cost: plus(row.judge_cost, usage.cost),
  };
}

export function refuseUnpriced(maxCost: number | undefined, model: Pick<LanguageModel, "hasPrices"> | undefined): void {
  if (maxCost === undefined || model?.hasPrices) return;
  throw new AppError(
    "unprocessable",
    "The prices of the language model are unknown. Set them with `svc language-model set`, or on the page Settings → Language model, or start the run without a cost limit.",
  );
}

export function spendingRefusal({ max_cost, judge_cost }: Pick<RunRow, "max_cost" | "judge_cost">): string | null {
  if (max_cost === null) return null;
  if (judge_cost === null)
    return "Not judged: the endpoint of the language model reported no token usage, so that the cost limit of the run cannot be checked. Start the run without a cost limit.";
  if (judge_cost < max_cost) return null;
  return `Not judged: the judge reached the cost limit of the run (${max_cost}). Start the run with a higher limit.`;
}
