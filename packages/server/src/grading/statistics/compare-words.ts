import { type ComparedTest, type Comparison, LATENCY_PAIRS_MIN, type LatencyDifference } from "./compare.ts";
import type { Tally } from "./pass-rates.ts";

type NamedDifference = { what: string; first: string; second: string };

type ComparedAgents = { first: string; second: string };

const NAMES_MAX = 3;

/**
 * Returns a sentence about conditions that differ between two runs. It never attributes a difference of latency to the agent, because
 * latency also depends on load and network.
 */
export function conditionsSentence(
  differences: readonly NamedDifference[],
  passingDiffers: boolean,
  agents: ComparedAgents | null = null,
): string {
  const named = agents === null ? "" : `The runs have different agents ("${agents.first}" → "${agents.second}"). `;
  if (differences.length > 0) {
    const list = differences.map(({ what, first, second }) => `${what} (${first} → ${second})`).join("; ");
    return `${named}The runs differ besides the agent: ${list}. Two runs are compared, and no difference between them is evidence about the agent.`;
  }
  const same = `${named || "Two runs are compared, not two agents. "}The service records nothing else that differs between them`;
  const cause = agents === null ? "the agent may have changed" : "the agents may differ";
  return passingDiffers ? `${same}: ${cause}. Repeat the second run to confirm it.` : `${same}.`;
}

export function passingSentence(comparison: Comparison): string {
  const { first, second, tests, passing, undecided, passingDiffers } = comparison;
  if (first.played === 0 || second.played === 0) return "Passing: nothing to compare, no test was played in both runs.";
  const counts = `${first.passed} of ${first.played} simulations passed before, ${second.passed} of ${second.played} now`;
  if (!passingDiffers) return `Passing: not distinguishable: ${counts} (${pWords(passing.p)}).`;
  const parts: string[] = [];
  if (passing.differs) {
    const less = second.passed / second.played < first.passed / first.played;
    parts.push(`the second run passes ${less ? "less" : "more"} often: ${counts} (${pWords(passing.p)})`);
  }
  for (const change of ["broken", "mended"] as const) {
    const changed = tests.filter((test) => test.change === change);
    if (changed.length > 0) parts.push(`${change}: ${namesOf(changed)}`);
  }
  if (undecided.differs) {
    const more = second.undecided / second.played > first.undecided / first.played;
    parts.push(
      `${more ? "more" : "fewer"} simulations are undecided: ${first.undecided} of ${first.played} before, ${second.undecided} of ${second.played} now`,
    );
  }
  return `Passing: ${parts.join("; ")}.`;
}

export function latencySentence(latency: LatencyDifference | null, differs: boolean): string {
  if (latency === null)
    return `Latency: nothing to compare; fewer than ${LATENCY_PAIRS_MIN} pairs have response times on both sides.`;
  const { pairs, firstMs, secondMs, differenceMs, lowMs, highMs } = latency;
  const medians = `median ${Math.round(firstMs)} ms before, ${Math.round(secondMs)} ms now`;
  const interval = `difference ${signed(differenceMs)} ms, 99% interval ${signed(lowMs)} to ${signed(highMs)} ms, ${pairs} pairs`;
  if (!differs) return `Latency: not distinguishable: ${medians} (${interval}).`;
  return `Latency: the second run is ${differenceMs > 0 ? "slower" : "faster"}: ${medians} (${interval}).`;
}

/** `changedTests` has the versions of the tests that differ between the runs. */
export function notesOf({ first, second, tests, unpaired }: Comparison, changedTests?: NamedDifference): string[] {
  const notes: string[] = [];
  if (changedTests !== undefined)
    notes.push(`Tests that changed are not compared: ${changedTests.first} → ${changedTests.second}.`);
  if (unpaired > 0) notes.push(`Simulations in one run only: ${unpaired}.`);
  if (first.errored + second.errored > 0) {
    notes.push(
      `Errors of the service or the network do not count: ${first.errored} simulations before, ${second.errored} now.`,
    );
  }
  const fewest = Math.min(...tests.map((test) => Math.min(test.first.played, test.second.played)));
  if (tests.length > 0 && fewest < PLAYS_MIN)
    notes.push(`A test with fewer than ${PLAYS_MIN} plays in each run cannot be named as broken or mended.`);
  return notes;
}

/** Smallest number of plays of a test in each run for a statement. With fewer plays, even "all passed, then none" can be chance. */
const PLAYS_MIN = 4;

function namesOf(tests: readonly ComparedTest[]): string {
  const named = tests
    .slice(0, NAMES_MAX)
    .map(({ testName, first, second }) => `"${testName}" (${passedOf(first)} → ${passedOf(second)})`);
  const more = tests.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}

const passedOf = ({ passed, played }: Tally) => `${passed} of ${played}`;

const pWords = (p: number) => (p < 0.0001 ? "p < 0.0001" : `p = ${p.toPrecision(2)}`);

const signed = (ms: number) => `${ms > 0 ? "+" : ""}${Math.round(ms)}`;
