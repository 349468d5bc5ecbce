// The vote protocol of the judge in numbers, for the table of docs/judge.md.
import { VOTES_MAX, VOTES_NEEDED } from "../../packages/server/src/grading/judge/votes.ts";

/** A vote protocol: a verdict needs `needed` equal votes of at most `most`. */
type Protocol = { needed: number; most: number };

/** The protocol of the judge. */
export const PROTOCOL: Protocol = { needed: VOTES_NEEDED, most: VOTES_MAX };

/**
 * Returns the share of wrong verdicts when each vote is wrong with the probability `voteError`, independent of the others. It is
 * the rate of false passes on bad behaviors and of false fails on good ones, because a pass and a fail need equally many votes.
 */
export function wrongVerdicts(voteError: number, { needed, most }: Protocol): number {
  let sum = 0;
  for (let right = 0; right < needed && needed + right <= most; right++)
    sum += choose(needed + right - 1, right) * voteError ** needed * (1 - voteError) ** right;
  return sum;
}

/** Returns the expected number of votes until one verdict has enough of them. */
export function expectedVotes(voteError: number, { needed, most }: Protocol): number {
  let votes = 0;
  for (let cast = 0; cast < most; cast++) {
    for (let wrong = Math.max(0, cast - needed + 1); wrong <= Math.min(cast, needed - 1); wrong++)
      votes += choose(cast, wrong) * voteError ** wrong * (1 - voteError) ** (cast - wrong);
  }
  return votes;
}

function choose(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}

const VOTE_ERRORS = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3];
const COMPARED: readonly Protocol[] = [{ needed: 1, most: 1 }, PROTOCOL, { needed: 3, most: 5 }];

/** Returns the table of docs/judge.md: for each vote error the wrong verdicts and the expected votes of the protocols. */
export function protocolTable(): string {
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  const titleOf = ({ needed, most }: Protocol) => (most === 1 ? "one vote" : `${needed} of ${most} votes`);
  const header = [
    "error of one vote",
    ...COMPARED.map((protocol) => `false passes = false fails, ${titleOf(protocol)}`),
    `votes cast, ${titleOf(PROTOCOL)}`,
  ];
  const rows = VOTE_ERRORS.map((voteError) => [
    `${100 * voteError} %`,
    ...COMPARED.map((protocol) => percent(wrongVerdicts(voteError, protocol))),
    expectedVotes(voteError, PROTOCOL).toFixed(2),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---:")), ...rows.map(line)].join("\n");
}
