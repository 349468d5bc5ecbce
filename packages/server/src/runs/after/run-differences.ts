import type { Grade, RunDifference } from "@svc/contract";
import type { PinnedGrader } from "../../grading/graders/grader.ts";
import { judgeName, judgeOf } from "../../grading/graders/judge-of.ts";
import { type ConnectionSnapshot, type RunRow, type SimulationSummaryRow, snapshotOf } from "../rules.ts";

type GradeInRun = Pick<
  Grade,
  "graderId" | "graderVersionId" | "graderName" | "counts" | "decidedBy" | "judge" | "votes"
>;

/** Conditions of a run apart from its agent, collected from its simulations and their grades. */
export type RunConditions = {
  run: RunRow;
  personas: Versions;
  tests: Versions;
  graders: Versions;
  judges: Set<string>;
  lacksJudge: boolean;
};

type Versions = Map<string, { name: string; versions: Set<string> }>;

const OPTIONS = {
  turn_limit: "turn limit",
  time_limit_seconds: "time limit in seconds",
  concurrency: "concurrency",
  allow_ungraded: "partly graded simulations may pass",
  max_cost: "largest cost of the judge",
};

const NAMES_MAX = 3;

export const conditionsOf = (run: RunRow): RunConditions => ({
  run,
  personas: new Map(),
  tests: new Map(),
  graders: new Map(),
  judges: new Set(),
  lacksJudge: false,
});

export function addConditions(
  conditions: RunConditions,
  row: SimulationSummaryRow,
  grades: readonly GradeInRun[],
): void {
  add(conditions.personas, row.persona_id, row.persona_name, row.persona_version_id);
  add(conditions.tests, row.test_id, row.test_name, row.test_version_id);
  for (const grade of grades) {
    if (grade.decidedBy === "veto") continue;
    const version = grade.counts ? grade.graderVersionId : `${grade.graderVersionId} (does not count)`;
    add(conditions.graders, grade.graderId, grade.graderName, version);
    const judge = judgeOf(grade);
    if (judge) conditions.judges.add(judgeName(judge));
    if (grade.decidedBy === "none") conditions.lacksJudge = true;
  }
}

function add(versions: Versions, id: string, name: string, version: string): void {
  const known = versions.get(id);
  if (known) known.versions.add(version);
  else versions.set(id, { name, versions: new Set([version]) });
}

export function differencesOf(first: RunConditions, second: RunConditions): RunDifference[] {
  const differences: RunDifference[] = [];
  const compare = (kind: RunDifference["kind"], what: string, before: string, after: string) => {
    if (before !== after) differences.push({ kind, what, first: before, second: after });
  };
  compare("judge", "judge", ...judges(first, second));
  compare("graders", "graders", ...versionsOf(gradersOf(first), gradersOf(second), true));
  compare("tests", "test versions", ...versionsOf(first.tests, second.tests, false));
  compare("personas", "personas", ...versionsOf(first.personas, second.personas, true));
  compare("caller", "caller", callerOf(first.run), callerOf(second.run));
  compare("connection", "connection", ...connections(first.run, second.run));
  compare("mock_tools", "mock tools", ...mockTools(first.run, second.run));
  const option = (run: RunRow, column: string) =>
    `${(run as Record<string, string | number | null | undefined>)[column] ?? "none"}`;
  for (const [column, what] of Object.entries(OPTIONS))
    compare("options", what, option(first.run, column), option(second.run, column));
  return differences;
}

/**
 * Returns the names of the judges of both runs. Equal texts mean no difference: a run that needed no judge does not differ from any other
 * run. A run that lacked a judge differs from a run with a judge.
 */
function judges(first: RunConditions, second: RunConditions): [string, string] {
  const nameOf = ({ judges: known, lacksJudge }: RunConditions) =>
    known.size > 0 ? [...known].sort().join(" and ") : lacksJudge ? "none" : undefined;
  const [before, after] = [nameOf(first), nameOf(second)];
  return before === undefined || after === undefined ? ["", ""] : [before, after];
}

function gradersOf({ graders, run }: RunConditions): Versions {
  if (graders.size > 0) return graders;
  const pinned: Versions = new Map();
  for (const { id, graderId, name, counts } of JSON.parse(run.graders) as PinnedGrader[])
    add(pinned, graderId, name, counts ? id : `${id} (does not count)`);
  return pinned;
}

/**
 * Returns one text per run: the names and versions of the first records that differ, and the number of further records that differ. With
 * `missing`, a record that only one run has also differs. Returns two empty texts when nothing differs.
 */
function versionsOf(first: Versions, second: Versions, missing: boolean): [string, string] {
  const ids = [...new Set([...first.keys(), ...second.keys()])].sort();
  const text = (of: Versions, id: string) => [...(of.get(id)?.versions ?? ["none"])].sort().join(" and ");
  const differing = ids.filter(
    (id) => (missing || (first.has(id) && second.has(id))) && text(first, id) !== text(second, id),
  );
  const list = (of: Versions) => {
    const named = differing
      .slice(0, NAMES_MAX)
      .map((id) => `"${(first.get(id) ?? second.get(id))!.name}" ${text(of, id)}`);
    const more = differing.length - named.length;
    return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
  };
  return differing.length === 0 ? ["", ""] : [list(first), list(second)];
}

const callerOf = ({ caller, caller_model }: RunRow): string =>
  caller === "model" ? `model ${caller_model ?? "(name not recorded)"}` : caller;

/**
 * Returns the connections of both runs as texts. Runs of different agents always have different connections, so only their types are
 * compared.
 */
function connections(first: RunRow, second: RunRow): [string, string] {
  const [before, after] = [snapshotOf(first), snapshotOf(second)];
  const type = ({ connectionType, accessVariant }: ConnectionSnapshot) => `${connectionType}, ${accessVariant}`;
  if (first.agent_id !== second.agent_id) return [type(before), type(after)];
  const text = (run: RunRow, { config, ...snapshot }: ConnectionSnapshot) =>
    `${run.connection_id}, ${type({ ...snapshot, config })}, ${JSON.stringify(config)}`;
  return [text(first, before), text(second, after)];
}

function mockTools(first: RunRow, second: RunRow): [string, string] {
  if (first.mock_tools === second.mock_tools) return ["", ""];
  const text = (run: RunRow) => {
    const names = (JSON.parse(run.mock_tools) as { tool: string }[]).map(({ tool }) => tool).sort();
    return names.length === 0 ? "none" : names.join(", ");
  };
  const [before, after] = [text(first), text(second)];
  return before === after ? [`${before}, earlier answers`, `${after}, later answers`] : [before, after];
}
