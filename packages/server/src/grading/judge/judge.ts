import type { Message } from "../../language-model/language-model.ts";
import { excerpt } from "../bounds.ts";
import type { Decision } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import {
  judgeMessages,
  PROMPT_VERSION,
  type PromptSection,
  requestForJson,
  requestForQuotes,
  sectionOrder,
} from "./prompt.ts";
import { type CheckedQuote, checkQuote } from "./quotes.ts";
import { type JudgeReply, readReply } from "./reply.ts";
import { isDoubtful, majorityOf, type Vote } from "./votes.ts";

/** A language model that judges. */
export type Judge = {
  model: string;
  /** Asks the model once; resolves with its answer or with the problem. */
  ask(messages: readonly Message[]): Promise<{ text: string } | { problem: string }>;
};

export type Judgement = { decision: Decision; votes: Vote[]; model: string; promptVersion: string };

const MORE_VOTES = [1, 2];
const ASKS_PER_VOTE_MAX = 3; // the question, then one request for the form and one for the quotes
/** Largest number of requests to the model for one behavior. */
export const ASKS_PER_BEHAVIOR_MAX = (1 + MORE_VOTES.length) * ASKS_PER_VOTE_MAX;
const REPLY_CHARACTERS = 20_000;

/**
 * Judges a behavior by one vote, or by the majority of three when the first is doubtful. Never throws for an answer of the
 * model. The same seed gives the same prompts.
 */
export async function judgeBehavior(
  behavior: string,
  evidence: Evidence,
  judge: Judge,
  seed: string,
): Promise<Judgement> {
  const vote = (index: number) => castVote(behavior, evidence, judge, { seed, order: sectionOrder(index, seed) });
  const first = await vote(0);
  const votes = isDoubtful(first) ? [first, ...(await Promise.all(MORE_VOTES.map(vote)))] : [first];
  return { decision: majorityOf(votes), votes, model: judge.model, promptVersion: PROMPT_VERSION };
}

async function castVote(
  behavior: string,
  evidence: Evidence,
  judge: Judge,
  { seed, order }: { seed: string; order: PromptSection[] },
): Promise<Vote> {
  const replies: string[] = [];
  let messages = judgeMessages(behavior, evidence, { seed, order });
  const without = (verdict: "errored" | "inconclusive", reason: string, rest: Partial<Vote> = {}): Vote => ({
    requirement: null,
    evidence: [],
    confidence: null,
    ...rest,
    verdict,
    reason,
    order,
    replies,
  });

  const ask = async (): Promise<JudgeReply | { problem: string; malformed: boolean }> => {
    const answer = await judge.ask(messages);
    if ("problem" in answer) return { ...answer, malformed: false };
    replies.push(excerpt(answer.text, REPLY_CHARACTERS));
    const reply = readReply(answer.text);
    return "problem" in reply ? { ...reply, malformed: true } : reply;
  };
  const askAgain = (request: string) => {
    messages = [...messages, { role: "assistant", content: replies.at(-1)! }, { role: "user", content: request }];
    return ask();
  };

  let reply = await ask();
  if ("problem" in reply && reply.malformed) reply = await askAgain(requestForJson(reply.problem));
  if ("problem" in reply) return without("errored", errorWords(reply));

  let quotes = checkedQuotes(reply, evidence);
  if (allMiss(quotes)) {
    const again = await askAgain(requestForQuotes(quotes, evidence, seed));
    if ("problem" in again) return without("errored", errorWords(again));
    reply = again;
    quotes = checkedQuotes(reply, evidence);
  }
  const { requirement, reasoning, status, confidence } = reply;
  if (allMiss(quotes))
    return without("inconclusive", "The judge's quotes do not occur in the conversation.", {
      requirement,
      evidence: quotes,
      confidence,
    });
  return { verdict: VERDICT_OF[status], requirement, evidence: quotes, reason: reasoning, confidence, order, replies };
}

const VERDICT_OF = { pass: "passed", fail: "failed", inconclusive: "inconclusive" } as const;

const errorWords = ({ problem, malformed }: { problem: string; malformed: boolean }) =>
  malformed ? `The judge gave no valid judgement in two answers. ${problem}` : problem;

const checkedQuotes = ({ evidence: quotes }: JudgeReply, evidence: Evidence): CheckedQuote[] =>
  quotes.map((quote) => checkQuote(quote, evidence));

const allMiss = (quotes: readonly CheckedQuote[]) =>
  quotes.length > 0 && quotes.every(({ foundIn }) => foundIn === null);
