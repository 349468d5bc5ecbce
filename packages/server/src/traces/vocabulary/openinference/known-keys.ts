/** Keys of OpenInference's conventions 0.1 that the vocabulary maps or deliberately ignores. */
const KEYS = new Set(
  `openinference.span.kind openinference.project.name llm.system llm.provider llm.model_name llm.finish_reason
  llm.invocation_parameters llm.messages_count llm.function_call llm.prompts llm.choices tool.id tool.name
  tool.description tool.parameters tool.json_schema tool.result`.split(/\s+/),
);

/** Namespaces under `llm.` in which all keys count as known. */
const GROUPS = [
  "input_messages",
  "output_messages",
  "tools",
  "token_count",
  "cost",
  "prompt_template",
  "prompts",
  "choices",
];

const IN_GROUP = new RegExp(`^llm\\.(${GROUPS.join("|")})\\.`);

export const isKnown = (key: string): boolean => KEYS.has(key) || IN_GROUP.test(key);
