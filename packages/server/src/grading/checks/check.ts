import type { Pattern } from "../pattern/pattern.ts";

/**
 * A value that an argument must have. `bare` was written without quotes, so the text itself shows whether it is a number, a date or a text.
 * For `json`, the argument must contain the JSON value.
 */
export type WantedValue =
  | { kind: "text"; text: string }
  | { kind: "bare"; text: string }
  | { kind: "json"; value: unknown }
  | { kind: "pattern"; pattern: Pattern };

/** The arguments that a call must have. With `only`, it must have no other arguments. */
export type WantedArguments = { only: boolean; each: { path: string[]; wanted: WantedValue }[] };

export type WantedCall = { tool: string; arguments: WantedArguments | null };

/** Two tool calls in an order. `success` names one of the two tools, with the condition under which its call succeeded. */
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
  | { form: "presses"; keys: string | null; never: boolean } // null: any key
  | { form: "responds_within"; ms: number; percentile: number; under?: boolean; heard?: boolean } // percentile 100: every answer
  | { form: "no_silence_over"; ms: number; heard?: boolean }
  | { form: "stops_within"; ms: number; under?: boolean; heard?: boolean }
  | { form: "ends_call"; never: boolean }
  | { form: "transfers"; never: boolean }
  | { form: "finishes_within"; turns: number };

/** A sentence that begins like one of the forms, but has a syntax error. */
export type Broken = { form: "unreadable"; problem: string };
