import type { Pattern } from "../pattern/pattern.ts";

/**
 * `bare` was not quoted, so its form shows whether it is a number, a date or a text. The argument's value must contain the JSON value of
 * `json`.
 */
export type WantedValue =
  | { kind: "text"; text: string }
  | { kind: "bare"; text: string }
  | { kind: "json"; value: unknown }
  | { kind: "pattern"; pattern: Pattern };

/** With `only`, the call must have no other arguments. */
export type WantedArguments = { only: boolean; each: { path: string[]; wanted: WantedValue }[] };

export type WantedCall = { tool: string; arguments: WantedArguments | null };

/** `success` names one of the two tools, with the author's condition on its result. */
export type WantedOrder = { first: WantedCall; second: WantedCall; success?: WantedCall };

export type WantedSpeech = { kind: "words"; text: string } | { kind: "pattern"; pattern: Pattern };

export type Check =
  | ({ form: "calls"; least: number; most: number } & WantedCall)
  | ({ form: "calls_before"; wanted: "first" | "second" | "never_second" } & WantedOrder)
  | ({ form: "never_calls_after" } & WantedOrder)
  | { form: "calls_only"; tools: string[] }
  | { form: "handles_error"; tool: string }
  | { form: "says"; any: WantedSpeech[]; least: number; most: number; firstTurns: number | null }
  | { form: "repeats_back"; text: string; never: boolean }
  | { form: "responds_within"; ms: number; percentile: number; under?: boolean; heard?: boolean } // percentile 100: every answer
  | { form: "no_silence_over"; ms: number; heard?: boolean }
  | { form: "stops_within"; ms: number; under?: boolean; heard?: boolean }
  | { form: "ends_call"; never: boolean }
  | { form: "transfers"; never: boolean }
  | { form: "finishes_within"; turns: number };

/** Sentence that begins like a form but is not in the form. */
export type Broken = { form: "unreadable"; problem: string };
