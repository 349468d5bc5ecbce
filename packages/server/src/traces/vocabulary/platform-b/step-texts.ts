import type { StoredSpan } from "../../stored-span.ts";
import { numberOf, textOf } from "../attribute-values.ts";
import { said } from "./names.ts";

/** A speech's spans of three kinds, each by start. */
type Spans = { steps: readonly StoredSpan[]; requests: readonly StoredSpan[]; tools: readonly StoredSpan[] };

/** What the agent said, step by step. */
export function textsOf(speech: Spans): string[] {
  const texts = speech.steps.map(responseOf).filter((text) => text !== null);
  return speech.steps.length === 1 && texts.length === 1 ? withEarlierSteps(speech, texts[0]!) : texts;
}

/**
 * Since 1.8 Python has one turn span for all steps, on which the text of each step replaces the one before. What was said
 * before a tool is still on the request to the model that called it.
 */
function withEarlierSteps(speech: Spans, text: string): string[] {
  const earlierSteps = (numberOf(speech.steps[0]!.attributes["lk.generation_count"]) ?? 1) - 1;
  if (earlierSteps < 1) return [text];
  const requests = requestsWithTools(speech).slice(0, earlierSteps);
  const earlier = requests.map(responseOf).filter((each) => each !== null);
  const lastSaid = speech.requests.map(responseOf).at(-1) ?? null;
  const isEarlier = lastSaid === null || (lastSaid !== text && earlier.at(-1) === text);
  return [...(isEarlier ? earlier.slice(0, -1) : earlier), text];
}

/** A request that was begun ahead and thrown away calls no tool. */
function requestsWithTools({ requests, tools }: Spans): StoredSpan[] {
  let tool = 0;
  return requests.filter((request, place) => {
    while (tool < tools.length && tools[tool]!.startNs < request.startNs) tool++;
    const next = requests[place + 1];
    return tool < tools.length && (next === undefined || tools[tool]!.startNs < next.startNs);
  });
}

const responseOf = (span: StoredSpan) => textOf(said(span, "response.text"));
