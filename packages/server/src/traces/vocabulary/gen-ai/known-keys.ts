import type { StoredSpan } from "../../stored-span.ts";
import { countKeys, remembered } from "../count-keys.ts";
import type { SpanQuality } from "../vocabulary.ts";

/** Keys of the GenAI conventions up to 2026, with their former names, without the prefix `gen_ai.`. */
const KEYS = new Set(
  `agent.description agent.id agent.invocation.end_reason agent.name agent.version completion conversation.id conversation.compacted data_source.id
  embeddings.dimension.count evaluation.explanation evaluation.name evaluation.score.label evaluation.score.value
  input.messages operation.name output.messages output.type prompt prompt.name prompt.version provider.name
  request.choice.count request.encoding_formats request.frequency_penalty request.max_tokens request.model
  request.presence_penalty request.previous_response.id request.reasoning.level request.seed request.stop_sequences
  request.stream request.temperature request.top_k request.top_p response.finish_reasons response.id response.model
  response.time_to_first_chunk retrieval.documents retrieval.query.text system system_instructions token.type
  tool.call.arguments tool.call.id tool.call.result tool.definitions tool.description tool.name tool.type
  workflow.name`.split(/\s+/),
);

/** Namespaces in which all keys count as known, without the prefix `gen_ai.`. */
const GROUPS = new Set("usage prompt completion openai azure speech live_session".split(" "));

export const unmappedKeys = (spans: readonly StoredSpan[]): SpanQuality["unmappedKeys"] => countKeys(spans, isUnmapped);

const isUnmapped = remembered((key) => {
  if (!key.startsWith("gen_ai.")) return false;
  const name = key.slice("gen_ai.".length);
  return !KEYS.has(name) && !GROUPS.has(name.slice(0, Math.max(0, name.indexOf("."))));
});
