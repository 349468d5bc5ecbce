import type { StoredSpan } from "../../stored-span.ts";
import { numberOf, textOf } from "../attribute-values.ts";
import { contentAttribute } from "./names.ts";

/** Each list is sorted by start. */
type SpeechSpans = { steps: readonly StoredSpan[]; requests: readonly StoredSpan[]; tools: readonly StoredSpan[] };

/** Returns the texts of a speech, at most one for each step. */
export function stepTexts(speech: SpeechSpans): string[] {
  const texts = speech.steps.map(responseOf).filter((text) => text !== null);
  return speech.steps.length === 1 && texts.length === 1 ? withEarlierSteps(speech, texts[0]!) : texts;
}

/**
 * Returns the texts of a speech with one turn span for all steps. Since version 1.8, LiveKit Agents for Python puts only the last step's
 * text on this span. Text before a tool call is on the span of the model request that led to the call.
 */
function withEarlierSteps(speech: SpeechSpans, text: string): string[] {
  const earlierSteps = (numberOf(speech.steps[0]!.attributes["lk.generation_count"]) ?? 1) - 1;
  if (earlierSteps < 1) return [text];
  const requests = requestsWithTools(speech).slice(0, earlierSteps);
  const earlier = requests.map(responseOf).filter((each) => each !== null);
  const lastSaid = speech.requests.map(responseOf).at(-1) ?? null;
  const isEarlier = lastSaid === null || (lastSaid !== text && earlier.at(-1) === text);
  return [...(isEarlier ? earlier.slice(0, -1) : earlier), text];
}

/** Returns the requests after which tools were called. This leaves out discarded requests. */
function requestsWithTools({ requests, tools }: SpeechSpans): StoredSpan[] {
  let tool = 0;
  return requests.filter((request, index) => {
    while (tool < tools.length && tools[tool]!.startNs < request.startNs) tool++;
    const next = requests[index + 1];
    return tool < tools.length && (next === undefined || tools[tool]!.startNs < next.startNs);
  });
}

export const responseOf = (span: StoredSpan) => textOf(contentAttribute(span, "response.text"));
