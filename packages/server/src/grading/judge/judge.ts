import type { JudgeIdentity } from "@svc/contract";
import { addUsage, type ModelUsage, NO_USAGE } from "../language-model/usage.ts";
import { type Decision, notGraded } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import type { Interruption, Judge } from "./ask.ts";
import { ASKS_PER_VOTE_MAX, type Ballot, castVotes } from "./cast-votes.ts";
import { orderOf, PROMPT_VERSION } from "./prompt.ts";
import { questionsOf } from "./question.ts";
import { majorityOf, type Vote, VOTES_MAX, winnerOf } from "./votes.ts";

export type Judgement = {
  decision: Decision;
  confidence: number | null;
  votes: Vote[];
  /** Null if no model replied. */
  identity: JudgeIdentity | null;
  /** Share of the behavior in the usage of the requests. */
  usage: ModelUsage;
};

/** Largest number of behaviors in one request. With more of them, the replies would be too long. */
const BEHAVIORS_PER_REQUEST = 12;

export const asksAtMost = (behaviors: number): number =>
  Math.ceil(behaviors / BEHAVIORS_PER_REQUEST) * VOTES_MAX * ASKS_PER_VOTE_MAX;

/**
 * Judges behaviors with a language model. Each request asks about several behaviors, and each vote uses another wording and order. The
 * verdict of a behavior needs two equal votes of at most three. A vote without valid proof is inconclusive. An invalid reply never throws.
 */
export async function judgeBehaviors(
  behaviors: readonly string[],
  evidence: Evidence,
  judge: Judge,
  seed: string,
): Promise<Judgement[]> {
  const questions = questionsOf(behaviors);
  const ballots = new Map<string, Ballot[]>(questions.map(({ id }) => [id, []]));
  const isOpen = (id: string) => {
    const cast = ballots.get(id)!;
    return winnerOf(votesIn(cast)) === undefined && cast.every(({ interruption }) => interruption === null);
  };
  for (let vote = 0; vote < VOTES_MAX; vote++) {
    const open = orderOf(questions, vote, seed).filter(({ id }) => isOpen(id));
    for (let from = 0; from < open.length; from += BEHAVIORS_PER_REQUEST) {
      const batch = open.slice(from, from + BEHAVIORS_PER_REQUEST);
      for (const ballot of await castVotes(batch, evidence, judge, vote)) ballots.get(ballot.question.id)!.push(ballot);
    }
  }
  return questions.map(({ id }) => judgementOf(ballots.get(id)!));
}

const votesIn = (ballots: readonly Ballot[]): Vote[] => ballots.flatMap(({ vote }) => vote ?? []);

function judgementOf(ballots: readonly Ballot[]): Judgement {
  const votes = votesIn(ballots);
  const interruption = ballots.find((ballot) => ballot.interruption !== null)?.interruption;
  const { confidence, ...decision } = interruption
    ? { ...decisionOf(interruption), confidence: null }
    : majorityOf(votes);
  const models = [...new Set(ballots.flatMap((ballot) => ballot.models))].sort().join(", ");
  const dialect = ballots.findLast((ballot) => ballot.dialect !== null)?.dialect ?? null;
  return {
    decision,
    confidence,
    votes,
    identity: dialect === null ? null : { model: models, promptVersion: PROMPT_VERSION, dialect },
    usage: ballots.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
  };
}

const decisionOf = (interruption: Interruption): Decision =>
  "stopped" in interruption
    ? notGraded(interruption.stopped)
    : { verdict: "errored", reason: interruption.failure, evidence: [] };
