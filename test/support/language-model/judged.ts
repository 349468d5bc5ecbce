import type { Evidence } from "../../../packages/server/src/grading/evidence.ts";
import { judgeBehaviors } from "../../../packages/server/src/grading/judge/judge.ts";
import { createJudge } from "../../../packages/server/src/grading/judge/model.ts";
import { createLanguageModel } from "../../../packages/server/src/grading/language-model/language-model.ts";
import { evidenceFrom, type Sketch } from "../labelled-behaviors.ts";
import { answers, type Asked, type Behavior, fakeEndpoint } from "./fake-endpoint.ts";
import { judgement } from "./judge-replies.ts";

/** A short conversation, in which the agent gives a price. */
export const sketch: Sketch = {
  about: "",
  modality: "text",
  scenario: "Ana books a room.",
  persona: "calm",
  ending: { reason: "agent_ended", by: "agent" },
  turns: [
    { speaker: "agent", from: 0, to: 1000, text: "Hello, this call is recorded." },
    { speaker: "caller", from: 2000, to: 2000, text: "I want a room for two." },
    { speaker: "agent", from: 3000, to: 4000, text: "Booked! The price is 240 euros." },
  ],
  toolCalls: [{ name: "book_room", arguments: { guests: 2 }, result: { id: 7 }, turn: 2, at: 3500 }],
};
export const evidence = evidenceFrom(sketch);
export const shown = { evidence: [{ turn: 2, quote: "the price is 240 Euros" }] };
export const [pass, fail, open] = [judgement("pass", shown), judgement("fail", shown), judgement("inconclusive")];

export const BEHAVIOR = "tells the price";
export const PROHIBITION = "never mentions the price";

export type Reply = string | ((asked: Asked) => string);

/** Judges behaviors with an endpoint that gives these replies one after the other, and then repeats the last one. */
export async function judged(
  replies: (Reply | Behavior)[],
  behaviors = [BEHAVIOR],
  on: Evidence = evidence,
  { timeoutMs = 5_000 } = {},
) {
  const { settings, asked, stop } = await fakeEndpoint(
    ...replies.map((reply) =>
      typeof reply === "string" || reply.length < 2 ? answers(reply as Reply) : (reply as Behavior),
    ),
  );
  const judge = createJudge(createLanguageModel(settings, 5), { timeoutMs });
  const judgements = await judgeBehaviors(behaviors, on, judge, "seed").finally(stop);
  return { judgements, first: judgements[0]!, asked, verdicts: judgements.map(({ decision }) => decision.verdict) };
}
