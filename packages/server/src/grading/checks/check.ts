import type { Pattern } from "../pattern/pattern.ts";

/** The condition on an argument's value: equal text, JSON that the value contains, or a pattern. */
export type WantedValue =
  | { kind: "bare"; text: string }
  | { kind: "json"; value: unknown }
  | { kind: "pattern"; pattern: Pattern };

/** The conditions on a call's arguments; with `only`, it must have no others. A path leads into objects. */
export type WantedArguments = { only: boolean; each: { path: string[]; wanted: WantedValue }[] };

/** The words or the pattern that the agent must say. */
export type WantedSpeech = { kind: "words"; text: string } | { kind: "pattern"; pattern: Pattern };

/** A behavior that code decides. */
export type Check =
  | { form: "calls"; tool: string; arguments: WantedArguments | null; least: number; most: number }
  | { form: "calls_before"; first: string; second: string }
  | { form: "handles_error"; tool: string }
  | { form: "says"; said: WantedSpeech; never: boolean; firstTurns: number | null }
  | { form: "repeats_back"; text: string }
  | { form: "asks_for"; thing: string }
  | { form: "responds_within"; ms: number; percentile: number } // 100: every answer
  | { form: "no_silence_over"; ms: number }
  | { form: "stops_within"; ms: number }
  | { form: "ends_call"; never: boolean }
  | { form: "transfers"; never: boolean }
  | { form: "finishes_within"; turns: number }
  | { form: "unreadable"; problem: string };
