import type { Provenance } from "./provenances.ts";

/** Units of measures: milliseconds, a ratio from 0 to 1, a count, words per minute, tokens, and dBFS (decibels below full scale). */
export const UNITS = ["ms", "ratio", "count", "words/min", "tokens", "dBFS"] as const;

/** Unit of a measure. */
export type Unit = (typeof UNITS)[number];

/** Definition of a measure, for labels, columns and help texts. */
export type MeasureDefinition = {
  label: string;
  unit: Unit;
  /** Meaning of the measure in one or two sentences. */
  meaning: string;
  /** Event in a conversation that yields one sample. For example, each agent turn yields one sample of the response latency. */
  per:
    | "agent turn"
    | "user turn"
    | "model call"
    | "speech call"
    | "tool call"
    | "interruption"
    | "silence"
    | "conversation";
  /** Computation of a sample. When the formula lists several sources, the first available source applies. */
  formula: string;
  better: "lower" | "higher" | "neither";
};

/** Minimum length in milliseconds of a gap without speech that counts as a silence, by the times of spans. */
export const SILENCE_MS = 3000;

/** Minimum length in milliseconds of a gap without speech that counts as a silence in the recording of a call. */
export const HEARD_SILENCE_MS = 2000;

/**
 * Definitions of all measures of a conversation, in display order. A measure with the unit `count` has one sample for each event
 * that `per` names; a sample is often 0. The sum of the samples is the count, and the mean of the samples is the rate.
 */
export const MEASURES = {
  response_latency: {
    label: "Response latency",
    unit: "ms",
    meaning:
      "Time from the end of the user's speech to the agent's first audio, measured inside the worker. The greeting does not count, and typed conversations have a text response time instead.",
    per: "agent turn",
    formula:
      "The reported value; otherwise the time of the agent's first audio minus the end of the user's speech. The end of the user's speech is the end of the turn minus the reported end-of-utterance delay, or the end of the last speech. An answer that starts before the user has ended is overlapped and has no value.",
    better: "lower",
  },
  overlapped_answers: {
    label: "Overlapped answers",
    unit: "count",
    meaning: "Number of answers that the agent starts before the user has ended. They have no response latency.",
    per: "agent turn",
    formula: "1 when the agent's first audio is earlier than the end of the user's speech; otherwise 0.",
    better: "lower",
  },
  text_response_time: {
    label: "Text response time",
    unit: "ms",
    meaning: "Time from the user's typed message to the whole answer of the agent. Only typed conversations have it.",
    per: "agent turn",
    formula: "The reported value; otherwise the end of the agent's turn minus the start of the user's turn before it.",
    better: "lower",
  },
  end_of_utterance_delay: {
    label: "End of utterance",
    unit: "ms",
    meaning: "Time from the end of the user's speech to the decision that the turn has ended.",
    per: "user turn",
    formula: "The reported value; otherwise the end of the user's turn minus the end of the user's speech.",
    better: "lower",
  },
  transcription_delay: {
    label: "Transcription delay",
    unit: "ms",
    meaning: "Time from the end of the user's speech to the final transcript.",
    per: "user turn",
    formula: "The reported value.",
    better: "lower",
  },
  llm_time_to_first_token: {
    label: "LLM time to first token",
    unit: "ms",
    meaning: "Time from the request to the language model to the first token of its answer.",
    per: "model call",
    formula: "The reported value. Retell reports the time to the first piece that can be spoken.",
    better: "lower",
  },
  tts_time_to_first_byte: {
    label: "TTS time to first byte",
    unit: "ms",
    meaning: "Time from the first text sent to speech synthesis to the first audio.",
    per: "speech call",
    formula: "The reported value.",
    better: "lower",
  },
  unexplained_latency: {
    label: "Unexplained remainder",
    unit: "ms",
    meaning:
      "Part of the response latency that end of utterance, first token and first byte do not explain: queues, tools and earlier model calls. The value is negative when parts ran at the same time.",
    per: "agent turn",
    formula:
      "Response latency minus the end-of-utterance delay, minus the times to first token and first byte of the calls that led to the first audio.",
    better: "lower",
  },
  greeting_latency: {
    label: "Greeting latency",
    unit: "ms",
    meaning: "Time from the start of the session to the agent's first audio, when the agent speaks first.",
    per: "conversation",
    formula: "Time of the agent's first audio minus the start of the session.",
    better: "lower",
  },
  user_interruptions: {
    label: "User interrupts agent",
    unit: "count",
    meaning: "Number of agent turns that the user cut short by speaking (barge-in).",
    per: "agent turn",
    formula:
      "1 when the turn was interrupted, not by the program, and the user started to speak during its audio; otherwise 0. When the times of the agent's audio are unknown, the reported value.",
    better: "neither",
  },
  yield_latency: {
    label: "Yield latency",
    unit: "ms",
    meaning: "Time for which the agent keeps speaking after the user interrupts.",
    per: "interruption",
    formula: "End of the agent's audio minus the start of the user's interrupting speech.",
    better: "lower",
  },
  agent_interruptions: {
    label: "Agent interrupts user",
    unit: "count",
    meaning: "Number of times that the agent starts to speak while the user speaks.",
    per: "user turn",
    formula: "Number of starts of the agent's audio during the turn's speech.",
    better: "lower",
  },
  overlap_ratio: {
    label: "Overlap",
    unit: "ratio",
    meaning: "Share of the speaking time in which both speak.",
    per: "conversation",
    formula: "Time in which both speak, divided by the time in which at least one speaks.",
    better: "lower",
  },
  talk_ratio: {
    label: "Talk ratio",
    unit: "ratio",
    meaning: "The agent's share of the speech time.",
    per: "conversation",
    formula: "The agent's speech time divided by the sum of the agent's and the user's. Silence does not count.",
    better: "neither",
  },
  silence: {
    label: "Silences",
    unit: "ms",
    meaning: "Gaps of 3 seconds or more without speech.",
    per: "silence",
    formula:
      "Gaps between all speech, from the start of the session (or the first speech, when that start is unknown) to the end of the last speech. The time from the last word to the end of the session does not count.",
    better: "lower",
  },
  unanswered_turns: {
    label: "Unanswered turns",
    unit: "count",
    meaning: "Number of user turns without an answer before the next user turn or the end.",
    per: "user turn",
    formula: "1 when no agent turn with audio or text follows before the next user turn; otherwise 0.",
    better: "lower",
  },
  words_per_minute: {
    label: "Words per minute",
    unit: "words/min",
    meaning: "Speaking rate of the agent.",
    per: "agent turn",
    formula:
      "Number of words in the turn's text divided by the length of its audio. Interrupted turns have no sample, because the user did not hear all their words.",
    better: "neither",
  },
  tool_latency: {
    label: "Tool latency",
    unit: "ms",
    meaning: "Duration of a tool call.",
    per: "tool call",
    formula: "End of the call minus its start.",
    better: "lower",
  },
  tool_errors: {
    label: "Tool errors",
    unit: "count",
    meaning: "Number of failed tool calls.",
    per: "tool call",
    formula: "1 when the call failed; otherwise 0.",
    better: "lower",
  },
  llm_errors: {
    label: "LLM errors",
    unit: "count",
    meaning: "Number of requests to the language model that failed after all attempts.",
    per: "model call",
    formula: "1 when the last attempt failed; otherwise 0.",
    better: "lower",
  },
  llm_retries: {
    label: "LLM retries",
    unit: "count",
    meaning: "Number of repeated attempts to reach the language model.",
    per: "model call",
    formula:
      "Number of attempts minus 1. Repetitions by a fallback adapter count for the last of its requests; the next provider of an adapter has its own request.",
    better: "lower",
  },
  input_tokens: {
    label: "Input tokens",
    unit: "tokens",
    meaning: "Number of tokens sent to the language model, including cached tokens.",
    per: "model call",
    formula: "The reported value. A report of 0 for both input and output counts as unknown.",
    better: "lower",
  },
  cached_input_tokens: {
    label: "Cached input tokens",
    unit: "tokens",
    meaning: "Number of input tokens that the language model had in its cache.",
    per: "model call",
    formula: "The reported value.",
    better: "higher",
  },
  output_tokens: {
    label: "Output tokens",
    unit: "tokens",
    meaning: "Number of tokens in the language model's answer.",
    per: "model call",
    formula: "The reported value. A report of 0 for both input and output counts as unknown.",
    better: "neither",
  },
  heard_response_latency: {
    label: "Response latency, heard",
    unit: "ms",
    meaning:
      "Time from the end of the caller's speech to the agent's first sound, as the caller hears it. A greeting does not count.",
    per: "agent turn",
    formula:
      "In the recording: the start of the agent's first speech that lasts beyond a turn of the caller, minus the end of that turn. An answer that starts before the turn has ended is overlapped and has no value.",
    better: "lower",
  },
  heard_overlapped_answers: {
    label: "Overlapped answers, heard",
    unit: "count",
    meaning: "Number of answers that the agent starts before the caller has ended, as the caller hears it.",
    per: "agent turn",
    formula:
      "In the recording: 1 when the agent's first speech that lasts beyond a turn of the caller starts before the end of that turn; otherwise 0.",
    better: "lower",
  },
  heard_first_sound: {
    label: "First sound, heard",
    unit: "ms",
    meaning: "Time from the start of the call to the agent's first sound.",
    per: "conversation",
    formula: "In the recording: the start of the agent's first speech.",
    better: "lower",
  },
  heard_yield_latency: {
    label: "Yield latency, heard",
    unit: "ms",
    meaning: "Time for which the caller hears the agent speak on after an interruption.",
    per: "interruption",
    formula:
      "In the recording: the end of the agent's speech minus the start of the caller's speech over it. An agent that pauses and goes on while the caller speaks has not stopped. When the call ends within 1.5 s of an interruption during the agent's speech, there is no sample.",
    better: "lower",
  },
  heard_overlap_ratio: {
    label: "Overlap, heard",
    unit: "ratio",
    meaning: "Share of the speaking time in which both are heard.",
    per: "conversation",
    formula: "In the recording: the time in which both speak, divided by the time in which at least one speaks.",
    better: "lower",
  },
  heard_talk_ratio: {
    label: "Talk ratio, heard",
    unit: "ratio",
    meaning: "The agent's share of the speech time that is heard.",
    per: "conversation",
    formula: "In the recording: the agent's speech time divided by the sum of the agent's and the caller's.",
    better: "neither",
  },
  heard_silence: {
    label: "Dead air, heard",
    unit: "ms",
    meaning: "Gaps of 2 seconds or more in which neither party speaks and the caller waits for the agent.",
    per: "silence",
    formula:
      "In the recording: gaps between all speech, from the start of the call, and after the caller's last words. A pause of the caller after the agent's words does not count, and neither does the time after the agent's last word.",
    better: "lower",
  },
  heard_agent_loudness: {
    label: "Agent loudness, heard",
    unit: "dBFS",
    meaning: "Mean level of the agent's speech, in decibels below full scale. Speech is usually between -30 and -16.",
    per: "conversation",
    formula: "In the recording: the mean power of the agent's speech without its pauses.",
    better: "neither",
  },
  heard_clipping: {
    label: "Clipped samples, heard",
    unit: "count",
    meaning: "Number of samples of the agent's sound that are cut off at full scale, which is heard as distortion.",
    per: "conversation",
    formula:
      "In the recording: the number of samples in runs of 3 or more at full scale, of 16,000 samples per second.",
    better: "lower",
  },
  heard_word_errors: {
    label: "Misheard words",
    unit: "ratio",
    meaning: "Share of the caller's words that the agent's speech recognition got wrong.",
    per: "conversation",
    formula:
      "Word error rate: the smallest number of replaced, missing and added words between what the caller said and what the agent reports as heard, divided by the number of words said, at most 1. Case and punctuation do not count.",
    better: "lower",
  },
} as const satisfies Record<string, MeasureDefinition>;

/** Name of a measure. */
export type MeasureName = keyof typeof MEASURES;

/** Returns whether a text is the name of a measure. */
export const isMeasureName = (name: string): name is MeasureName => Object.hasOwn(MEASURES, name);

/** Names of all measures, in display order. */
export const MEASURE_NAMES = Object.keys(MEASURES) as [MeasureName, ...MeasureName[]];

/** Returns whether the samples of a measure come from the recording of a call that the service placed. */
export const isHeardMeasure = (name: MeasureName): boolean => name.startsWith("heard_");

/** Returns the measures. Leaves out all measures from the recording when none of them is available. */
export function withoutUnheard<Named extends { name: MeasureName; provenance: Provenance }>(
  measures: readonly Named[],
): Named[] {
  const isHeard = measures.some(({ name, provenance }) => isHeardMeasure(name) && provenance !== "unavailable");
  return measures.filter(({ name }) => isHeard || !isHeardMeasure(name));
}
