import type { Pattern } from "../pattern/pattern.ts";

/**
 * The condition on an argument's value: quoted text, unquoted text whose form tells its type, JSON that the value must contain,
 * or a pattern.
 */
export type WantedValue =
  | { kind: "text"; text: string }
  | { kind: "bare"; text: string }
  | { kind: "json"; value: unknown }
  | { kind: "pattern"; pattern: Pattern };

/** The conditions on a call's arguments; with `only`, the call must have no others. A path may lead into nested objects. */
export type WantedArguments = { only: boolean; each: { path: string[]; wanted: WantedValue }[] };

/** The calls of a tool; only those with these arguments when `arguments` is not null. */
export type WantedCall = { tool: string; arguments: WantedArguments | null };

/** Two calls in order. `success` names one of the two tools and the author's condition on its result. */
export type WantedOrder = { first: WantedCall; second: WantedCall; success?: WantedCall };

/** The words or the pattern that the agent must say. */
export type WantedSpeech = { kind: "words"; text: string } | { kind: "pattern"; pattern: Pattern };

/** A behavior that code decides. */
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

/** A sentence that begins like a form but cannot be read to its end; the problem says how to correct it. */
export type Broken = { form: "unreadable"; problem: string };
