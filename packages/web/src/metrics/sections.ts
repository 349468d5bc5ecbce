import type { MeasureName } from "@svc/contract/constants";

/** Search parameters of the list of conversations. */
type ListSearch = { sort?: "-slowest"; status?: "error"; interrupted?: "true" };

type SectionDefinition = { id: string; title: string; measures: readonly MeasureName[] };

/** Sections of the page, the most important first. Each measure is in one of them. */
export const SECTIONS = [
  {
    id: "answers",
    title: "Answers",
    measures: [
      "response_latency",
      "heard_response_latency",
      "text_response_time",
      "end_of_utterance_delay",
      "llm_time_to_first_token",
      "tts_time_to_first_byte",
      "unexplained_latency",
      "transcription_delay",
      "unanswered_turns",
      "overlapped_answers",
      "heard_overlapped_answers",
      "greeting_latency",
      "heard_first_sound",
    ],
  },
  { id: "errors", title: "Errors", measures: ["tool_errors", "llm_errors", "llm_retries", "heard_word_errors"] },
  { id: "tools", title: "Tools", measures: ["tool_latency"] },
  {
    id: "talking",
    title: "Talking",
    measures: [
      "user_interruptions",
      "yield_latency",
      "heard_yield_latency",
      "agent_interruptions",
      "silence",
      "heard_silence",
      "talk_ratio",
      "heard_talk_ratio",
      "overlap_ratio",
      "heard_overlap_ratio",
      "words_per_minute",
      "heard_agent_loudness",
      "heard_clipping",
    ],
  },
  { id: "tokens", title: "Tokens", measures: ["input_tokens", "cached_input_tokens", "output_tokens"] },
] as const satisfies readonly SectionDefinition[];

export type SectionId = (typeof SECTIONS)[number]["id"];

const SLOWEST: ListSearch = { sort: "-slowest" };
const ERRORS: ListSearch = { status: "error" };

const SEARCHES: Partial<Record<MeasureName, ListSearch>> = {
  response_latency: SLOWEST,
  heard_response_latency: SLOWEST,
  text_response_time: SLOWEST,
  end_of_utterance_delay: SLOWEST,
  llm_time_to_first_token: SLOWEST,
  tts_time_to_first_byte: SLOWEST,
  unexplained_latency: SLOWEST,
  transcription_delay: SLOWEST,
  tool_errors: ERRORS,
  llm_errors: ERRORS,
  user_interruptions: { interrupted: "true" },
};

/** Returns the filters and the order of the list that answer the question of a plot: the slowest first, or those with errors. */
export const listSearchOf = (plot: string): ListSearch =>
  plot === "errors" ? ERRORS : (SEARCHES[plot as MeasureName] ?? {});
