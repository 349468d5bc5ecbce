import { type Decision, notGraded } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import { asksFor } from "./asks-for.ts";
import type { Check } from "./check.ts";
import { endsCall, finishesWithin, transfers } from "./endings.ts";
import { repeatsBack, says } from "./says.ts";
import { noSilenceOver, respondsWithin, stopsWithin } from "./timing.ts";
import { calls, callsBefore } from "./tool-calls.ts";
import { handlesError } from "./tool-errors.ts";

/**
 * Decides a check on the evidence of a conversation. Missing evidence, such as an unavailable measure, withheld text or an
 * end that the agent did not cause, leaves it inconclusive. Never throws.
 */
export function decide(check: Check, evidence: Evidence): Decision {
  switch (check.form) {
    case "calls":
      return calls(check, evidence);
    case "calls_before":
      return callsBefore(check, evidence);
    case "handles_error":
      return handlesError(check, evidence);
    case "says":
      return says(check, evidence);
    case "repeats_back":
      return repeatsBack(check, evidence);
    case "asks_for":
      return asksFor(check, evidence);
    case "responds_within":
      return respondsWithin(check, evidence);
    case "no_silence_over":
      return noSilenceOver(check, evidence);
    case "stops_within":
      return stopsWithin(check, evidence);
    case "ends_call":
      return endsCall(check, evidence);
    case "transfers":
      return transfers(check, evidence);
    case "finishes_within":
      return finishesWithin(check, evidence);
    case "unreadable":
      return notGraded(`The behavior cannot be read: ${check.problem}`);
  }
}
