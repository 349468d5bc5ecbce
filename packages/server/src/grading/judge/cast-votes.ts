import { addUsage, type ModelUsage, NO_USAGE, sharesOf } from "../language-model/usage.ts";
import type { Dialect } from "../language-model/language-model.ts";
import { excerpt } from "../bounds.ts";
import type { Evidence } from "../evidence.ts";
import type { Interruption, Judge } from "./ask.ts";
import { type Fault, judgeMessages, PROMPT_VERSION, temperatureOf } from "./prompt.ts";
import { missingProof } from "./proof.ts";
import type { Question } from "./question.ts";
import { type CheckedQuote, checkQuote } from "./quotes.ts";
import { type JudgeReply, readReply } from "./reply.ts";
import { linesOfTurn } from "./transcript.ts";
import type { Vote } from "./votes.ts";

/**
 * Largest number of requests for one vote on one batch: the first request, and two more requests about behaviors whose answer was unusable.
 */
export const ASKS_PER_VOTE_MAX = 3;

const REPLY_CHARACTERS = 20_000;
const LINE_CHARACTERS = 300;

const CUT = "The answer was longer than allowed and was cut. Write at most two sentences of reasoning.";

export type Ballot = {
  question: Question;
  vote: Vote | null;
  interruption: Interruption | null;
  /** Share of the behavior in the usage of the requests. */
  usage: ModelUsage;
  models: string[];
  dialect: Dialect | null;
};

/** An unusable answer of the judge. `vote` is the vote if no later answer is usable. */
type Unusable = { vote: Vote; fault: Fault };

/** Gets one vote on each behavior. Asks again about behaviors whose answer is missing, malformed or without proof. */
export async function castVotes(
  questions: readonly Question[],
  evidence: Evidence,
  judge: Judge,
  vote: number,
): Promise<Ballot[]> {
  const ballots = new Map(questions.map((question) => [question.id, emptyBallot(question)]));
  const replies = new Map(questions.map(({ id }) => [id, [] as unknown[]]));
  const unusable = new Map<string, Unusable>();
  let open = [...questions];
  let size = open.length;

  for (let asks = 0; asks < ASKS_PER_VOTE_MAX && open.length > 0; asks++) {
    const asked = open.slice(0, size);
    const faults = asked.flatMap(({ id }) => unusable.get(id)?.fault ?? []);
    const answer = await judge.ask(judgeMessages(asked, evidence, { vote, faults }), {
      temperature: temperatureOf(vote),
      behaviors: asked.length,
    });
    if (!("text" in answer)) {
      for (const { id } of open) ballots.get(id)!.interruption = answer;
      return [...ballots.values()];
    }
    const shares = sharesOf(answer.usage, asked.length);
    const ids = asked.map(({ id }) => id);
    const reply = answer.isCut ? { problem: CUT } : readReply(answer.text, ids);
    const again: Question[] = [];
    for (const [index, question] of asked.entries()) {
      const ballot = ballots.get(question.id)!;
      ballot.usage = addUsage(ballot.usage, shares[index]!);
      ballot.models.push(answer.model);
      ballot.dialect = answer.dialect;
      const item = "problem" in reply ? reply : reply.get(question.id)!;
      const own = replies.get(question.id)!;
      own.push("problem" in item ? excerpt(answer.text, REPLY_CHARACTERS) : item);
      const read = readVote(question, item, evidence, {
        model: answer.model,
        promptVersion: PROMPT_VERSION,
        wording: vote,
        replies: own,
      });
      if ("fault" in read) {
        unusable.set(question.id, read);
        again.push(question);
      } else ballot.vote = read;
    }
    open = [...open.slice(size), ...again];
    if (answer.isCut) size = Math.ceil(size / 2);
  }
  for (const { id } of open) ballots.get(id)!.vote = unusable.get(id)?.vote ?? unasked(vote);
  return [...ballots.values()];
}

const emptyBallot = (question: Question): Ballot => ({
  question,
  vote: null,
  interruption: null,
  usage: NO_USAGE,
  models: [],
  dialect: null,
});

/** Returns the vote on a behavior that no request reached, because replies about other behaviors of the batch were cut. */
const unasked = (wording: number): Vote => ({
  verdict: "errored",
  requirement: null,
  evidence: [],
  reason: `The judge gave no valid judgement in ${ASKS_PER_VOTE_MAX} answers. ${CUT}`,
  confidence: null,
  model: null,
  promptVersion: PROMPT_VERSION,
  wording,
  replies: [],
});

function readVote(
  { id, behavior }: Question,
  item: JudgeReply | { problem: string },
  evidence: Evidence,
  common: Pick<Vote, "model" | "promptVersion" | "wording" | "replies">,
): Vote | Unusable {
  const empty = { requirement: null, evidence: [], confidence: null, ...common };
  if ("problem" in item) {
    const reason = `The judge gave no valid judgement in ${common.replies.length} answers. ${item.problem}`;
    return { vote: { ...empty, verdict: "errored", reason }, fault: { id, problem: item.problem, record: null } };
  }
  const { requirement, reasoning, status, confidence } = item;
  const quotes = item.evidence.map((quote) => checkQuote(quote, evidence));
  const isSure = confidence > 0 && confidence <= 1;
  const base = { ...common, requirement, evidence: quotes, confidence: isSure ? confidence : null };
  const spoiled = quotes.filter(({ fault }) => fault !== null);
  if (spoiled.length > 0) {
    const problem = spoiled.map(({ quote, fault }) => `${JSON.stringify(excerpt(quote))}: ${fault}`).join("; ");
    return {
      vote: { ...base, verdict: "inconclusive", reason: `The judge's quotes do not hold. ${problem}.` },
      fault: {
        id,
        problem: "Its quotes do not hold. The fenced list below has each quote, its fault and the named line.",
        record: recordOf(spoiled, evidence),
      },
    };
  }
  const missing =
    isSure || status === "inconclusive" ? missingProof({ behavior, status }, quotes, evidence) : notSure(confidence);
  if (missing === null) return { ...base, verdict: VERDICT_OF[status], reason: reasoning };
  const unproven: Vote = {
    ...base,
    verdict: "inconclusive",
    reason: `The judge says "${status}" without proof. ${missing.problem}`,
  };
  return missing.mayBeMended ? { vote: unproven, fault: { id, problem: missing.problem, record: null } } : unproven;
}

const notSure = (confidence: number) => ({
  problem: `Its confidence is ${confidence}: a verdict needs one above 0, and at most 1.`,
  mayBeMended: true,
});

const VERDICT_OF = { pass: "passed", fail: "failed", inconclusive: "inconclusive" } as const;

/**
 * Returns the faults of the quotes as text. The text may contain words of the conversation, so the prompt puts it inside a fence as data.
 */
const recordOf = (quotes: readonly CheckedQuote[], evidence: Evidence): string =>
  quotes
    .map(({ turn, quote, fault }) => {
      const lines = linesOfTurn(evidence, turn).map((line) => excerpt(line, LINE_CHARACTERS));
      return [`quote ${JSON.stringify(excerpt(quote, LINE_CHARACTERS))}: ${fault}`, ...lines].join("\n  ");
    })
    .join("\n");
