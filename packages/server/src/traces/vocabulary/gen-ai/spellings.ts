import { countOf, milliseconds, nameOf } from "../attribute-values.ts";
import type { ModelCall } from "../vocabulary.ts";

type Attributes = Readonly<Record<string, unknown>>;

/** Attribute keys of each value, newest first. The last keys are from instrumentations that are older than the conventions. */
const SPELLINGS = {
  provider: ["gen_ai.provider.name", "gen_ai.system"],
  model: ["gen_ai.request.model", "gen_ai.response.model"],
  inputTokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
  cachedInputTokens: [
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_cached_tokens",
  ],
  outputTokens: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
} as const;

const valuesOf = (attributes: Attributes, name: keyof typeof SPELLINGS): unknown[] =>
  SPELLINGS[name].map((key) => attributes[key]);

export const providerOf = (attributes: Attributes): string | null => firstName(valuesOf(attributes, "provider"));

export const modelOf = (attributes: Attributes): string | null => firstName(valuesOf(attributes, "model"));

/** A request is never empty, so 0 input tokens mean unknown. */
export function tokensOf(
  attributes: Attributes,
): Pick<ModelCall, "inputTokens" | "cachedInputTokens" | "outputTokens"> {
  const input = countOf(valuesOf(attributes, "inputTokens"));
  const output = countOf(valuesOf(attributes, "outputTokens"));
  return {
    inputTokens: input || null,
    cachedInputTokens: input ? countOf(valuesOf(attributes, "cachedInputTokens")) : null,
    outputTokens: input ? output : output || null,
  };
}

export const firstChunkMs = (attributes: Attributes): number | null =>
  milliseconds(attributes["gen_ai.response.time_to_first_chunk"], "seconds");

/**
 * Returns the version of the conventions, which their keys show: version 1.37 renamed `system` to `provider`, and version 1.27 renamed
 * prompt and completion tokens to input and output tokens.
 */
export function generationOf(spans: readonly { attributes: Attributes }[]): string | null {
  const has = (...keys: string[]) => spans.some(({ attributes }) => keys.some((key) => key in attributes));
  if (has("gen_ai.provider.name", "gen_ai.input.messages", "gen_ai.output.messages")) return "1.37";
  if (has("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens")) return "1.26";
  return has("gen_ai.system") ? "1.27" : null;
}

function firstName(values: readonly unknown[]): string | null {
  for (const value of values) {
    const name = nameOf(value);
    if (name !== null) return name;
  }
  return null;
}
