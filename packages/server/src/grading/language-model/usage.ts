/** Prices of a model per million tokens. */
type Prices = { input: number; output: number };

/** Tokens and cost of requests. A member is null if the endpoint did not report it, or the price is unknown. */
export type ModelUsage = {
  requests: number;
  inputTokens: number | null; // including cached tokens
  cachedInputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
};

export type ReportedTokens = { input: number; cachedInput: number; output: number };

export const NO_USAGE: ModelUsage = {
  requests: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

const MILLION = 1_000_000;

export function usageOf(tokens: ReportedTokens | null, prices: Prices | null): ModelUsage {
  if (tokens === null)
    return { requests: 1, inputTokens: null, cachedInputTokens: null, outputTokens: null, cost: null };
  const { input, output } = tokens;
  return {
    requests: 1,
    inputTokens: input,
    cachedInputTokens: Math.min(tokens.cachedInput, input),
    outputTokens: output,
    cost: prices && (input * prices.input + output * prices.output) / MILLION,
  };
}

const plus = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);

export const addUsage = (one: ModelUsage, other: ModelUsage): ModelUsage => ({
  requests: one.requests + other.requests,
  inputTokens: plus(one.inputTokens, other.inputTokens),
  cachedInputTokens: plus(one.cachedInputTokens, other.cachedInputTokens),
  outputTokens: plus(one.outputTokens, other.outputTokens),
  cost: plus(one.cost, other.cost),
});

/**
 * Divides the usage of one request among several behaviors. The shares of the tokens are integers, and their sum is exact. Each share
 * counts the request itself.
 */
export function sharesOf(usage: ModelUsage, count: number): ModelUsage[] {
  const share = (tokens: number | null, index: number) =>
    tokens && Math.floor((tokens * (index + 1)) / count) - Math.floor((tokens * index) / count);
  return Array.from({ length: count }, (_, index) => ({
    requests: usage.requests,
    inputTokens: share(usage.inputTokens, index),
    cachedInputTokens: share(usage.cachedInputTokens, index),
    outputTokens: share(usage.outputTokens, index),
    cost: usage.cost === null ? null : usage.cost / count,
  }));
}
