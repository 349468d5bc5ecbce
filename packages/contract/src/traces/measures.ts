/** From the strongest to none; `Provenance` says what each means. */
export const PROVENANCES = ["measured", "provider_reported", "approximate", "unavailable"] as const;

/**
 * Where a value comes from: `measured` from the times of spans or from audio, `provider_reported` as the platform
 * stated it, `approximate` from word times or incomplete facts, `unavailable` when it is not known, with a reason.
 */
export type Provenance = (typeof PROVENANCES)[number];

/** What the values of measures are in: milliseconds, a share from 0 to 1, a number of things, words a minute, tokens. */
export const UNITS = ["ms", "ratio", "count", "words/min", "tokens"] as const;

/** Of a measure's values. */
export type Unit = (typeof UNITS)[number];

/** What a measure is, for people: labels, columns, help. */
export type MeasureDefinition = {
  label: string;
  unit: Unit;
  /** One sentence: what it is. */
  meaning: string;
  /** What one sample stands for; the sample count is of these. */
  per:
    | "agent turn"
    | "user turn"
    | "model call"
    | "speech call"
    | "tool call"
    | "interruption"
    | "silence"
    | "conversation";
  /** How it is computed; of several sources the first that is there. */
  formula: string;
  better: "lower" | "higher" | "neither";
};

/** A gap in which nobody speaks counts as a silence from this long on. */
export const SILENCE_MS = 3000;

/**
 * Every measure of one conversation, in the order in which they are shown. Counts have a sample of 0 or more for each
 * occasion, so that their sum is the count and their mean the rate.
 */
export const MEASURES = {
  response_latency: {
    label: "Response latency",
    unit: "ms",
    meaning:
      "From the end of the user's speech to the agent's first audio, inside the worker; the greeting is left out.",
    per: "agent turn",
    formula:
      "As reported; else the agent's first audio minus the end of the user's speech, which is the end of the turn minus the reported end-of-utterance delay, or the end of the last speech; negative when the agent starts too early.",
    better: "lower",
  },
  end_of_utterance_delay: {
    label: "End of utterance",
    unit: "ms",
    meaning: "From the end of the user's speech to the decision that the turn has ended.",
    per: "user turn",
    formula: "As reported, else the end of the user's turn minus the end of the user's speech.",
    better: "lower",
  },
  transcription_delay: {
    label: "Transcription delay",
    unit: "ms",
    meaning: "From the end of the user's speech to the final transcript.",
    per: "user turn",
    formula: "As reported.",
    better: "lower",
  },
  llm_time_to_first_token: {
    label: "LLM time to first token",
    unit: "ms",
    meaning: "From the request to the language model to the first token of its answer.",
    per: "model call",
    formula: "As reported; platform_a counts to the first piece that can be spoken.",
    better: "lower",
  },
  tts_time_to_first_byte: {
    label: "TTS time to first byte",
    unit: "ms",
    meaning: "From the first text given to speech synthesis to the first audio.",
    per: "speech call",
    formula: "As reported.",
    better: "lower",
  },
  unexplained_latency: {
    label: "Unexplained remainder",
    unit: "ms",
    meaning:
      "What of the response latency is neither end of utterance, first token nor first byte: queues, tools, earlier model calls. Negative when parts ran at the same time.",
    per: "agent turn",
    formula:
      "Response latency minus the end-of-utterance delay, and minus the first token and first byte of the calls that led to the first audio.",
    better: "lower",
  },
  greeting_latency: {
    label: "Greeting latency",
    unit: "ms",
    meaning: "From the start of the session to the agent's first audio, when the agent speaks first.",
    per: "conversation",
    formula: "The agent's first audio minus the start of the session.",
    better: "lower",
  },
  user_interruptions: {
    label: "User interrupts agent",
    unit: "count",
    meaning: "Agent turns that the user cut short by speaking (barge-in).",
    per: "agent turn",
    formula:
      "1 when the turn was interrupted, not by the program, and the user began to speak during its audio; else 0.",
    better: "neither",
  },
  yield_latency: {
    label: "Yield latency",
    unit: "ms",
    meaning: "How long the agent goes on speaking after the user cuts in.",
    per: "interruption",
    formula: "End of the agent's audio minus the start of the speech that cut it short.",
    better: "lower",
  },
  agent_interruptions: {
    label: "Agent interrupts user",
    unit: "count",
    meaning: "How often the agent begins to speak while the user speaks.",
    per: "user turn",
    formula: "Starts of the agent's audio inside the turn's speech.",
    better: "lower",
  },
  overlap_ratio: {
    label: "Overlap",
    unit: "ratio",
    meaning: "Share of the time with speech in which both speak.",
    per: "conversation",
    formula: "Time in which both speak, by the time in which anyone does.",
    better: "lower",
  },
  talk_ratio: {
    label: "Talk ratio",
    unit: "ratio",
    meaning: "The agent's share of the speech.",
    per: "conversation",
    formula: "The agent's speech by the sum of the agent's and the user's; silence is not counted.",
    better: "neither",
  },
  silence: {
    label: "Silences",
    unit: "ms",
    meaning: "Stretches of 3 s and more in which nobody speaks.",
    per: "silence",
    formula:
      "Gaps between all speech, from the start to the end of the session, or from the first to the last speech when the session's times are not known.",
    better: "lower",
  },
  unanswered_turns: {
    label: "Unanswered turns",
    unit: "count",
    meaning: "User turns that the agent did not answer before the next one or the end.",
    per: "user turn",
    formula: "1 when no agent turn with audio or text follows before the next user turn; else 0.",
    better: "lower",
  },
  words_per_minute: {
    label: "Words per minute",
    unit: "words/min",
    meaning: "How fast the agent speaks.",
    per: "agent turn",
    formula:
      "Words of the turn's text by the length of its audio; interrupted turns are left out, since not all their words were heard.",
    better: "neither",
  },
  tool_latency: {
    label: "Tool latency",
    unit: "ms",
    meaning: "How long a tool takes.",
    per: "tool call",
    formula: "End minus start of the call.",
    better: "lower",
  },
  tool_errors: {
    label: "Tool errors",
    unit: "count",
    meaning: "Tool calls that failed.",
    per: "tool call",
    formula: "1 when the call failed; else 0.",
    better: "lower",
  },
  llm_errors: {
    label: "LLM errors",
    unit: "count",
    meaning: "Requests to the language model that failed, after all attempts.",
    per: "model call",
    formula: "1 when the last attempt failed; else 0.",
    better: "lower",
  },
  llm_retries: {
    label: "LLM retries",
    unit: "count",
    meaning: "Attempts beyond the first to reach the language model.",
    per: "model call",
    formula: "Attempts minus 1.",
    better: "lower",
  },
  input_tokens: {
    label: "Input tokens",
    unit: "tokens",
    meaning: "Tokens sent to the language model, cached ones among them.",
    per: "model call",
    formula: "As reported; 0 for both input and output is not known.",
    better: "lower",
  },
  cached_input_tokens: {
    label: "Cached input tokens",
    unit: "tokens",
    meaning: "Input tokens that the language model had in its cache.",
    per: "model call",
    formula: "As reported.",
    better: "higher",
  },
  output_tokens: {
    label: "Output tokens",
    unit: "tokens",
    meaning: "Tokens of the language model's answer.",
    per: "model call",
    formula: "As reported; 0 for both input and output is not known.",
    better: "neither",
  },
} as const satisfies Record<string, MeasureDefinition>;

/** One of the measures of `MEASURES`. */
export type MeasureName = keyof typeof MEASURES;

/** Whether a text names a measure. */
export const isMeasureName = (name: string): name is MeasureName => Object.hasOwn(MEASURES, name);

/** The names of all measures, in the order in which they are shown. */
export const MEASURE_NAMES = Object.keys(MEASURES) as [MeasureName, ...MeasureName[]];
