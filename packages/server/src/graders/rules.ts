import {
  type Grader as GraderAnswer,
  type GraderAgreement,
  type GraderVersion as VersionAnswer,
  LIMITS,
  type operations,
  type Verdict,
} from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
import { parseCheck } from "../grading/checks/parse-check.ts";
import { agreementOf } from "../grading/statistics.ts";
import { type Change, changeOf, staleEdit } from "../versions.ts";
import type { Definition, Grader, GraderVersion, Settings } from "./grader.ts";
import { DEFAULT_SETTINGS, SHIPPED } from "./library.ts";

type Create = z.output<(typeof operations.graders.create)["body"]>;
type Edit = z.output<(typeof operations.graders.edit)["body"]>;
type Configure = z.output<(typeof operations.graders.configure)["body"]>;

export type Decided = { name: string; definition: Definition; settings: Settings };
type Content = { definition: Definition };

export function decideCreate({ name, definition, ...given }: Create): Decided {
  refuseShippedName(name);
  refuseUnreadable(definition);
  const settings = changed(DEFAULT_SETTINGS, given);
  refuseUnfit(definition, settings);
  return { name, definition, settings };
}

/** What an edit does: nothing, a new name, a new version, or both; a stale one is refused with both version ids. */
export function decideEdit(grader: Grader, { expectedVersionId, name, definition }: Edit): Change<Content> {
  refuseShipped(grader);
  refuseArchived(grader);
  if (expectedVersionId !== grader.current.id) throw staleEdit("grader", grader, expectedVersionId);
  const change = changeOf<Content>(
    { name: grader.name, content: { definition: grader.current.definition } },
    { name, content: { definition } },
  );
  refuseShippedName(change.name);
  if (change.content) {
    refuseUnreadable(change.content.definition);
    refuseUnfit(change.content.definition, grader.settings);
  }
  return change;
}

export function decideSettings(grader: Grader, given: Configure): Settings {
  refuseArchived(grader);
  const settings = changed(grader.settings, given);
  refuseUnfit(grader.current.definition, settings);
  return settings;
}

const changed = (settings: Settings, given: Configure): Settings => ({
  enabled: given.enabled ?? settings.enabled,
  counts: given.counts ?? settings.counts,
  scope: given.scope ?? settings.scope,
  productionSampleRate: given.productionSampleRate ?? settings.productionSampleRate,
});

/** Whether an archive changes anything. */
export function decideArchive(grader: Grader): boolean {
  refuseShipped(grader);
  return grader.archivedAt === null;
}

/** The name under which a restore brings the grader back; undefined when it is live already. */
export function decideRestore(grader: Grader, name: string | undefined): string | undefined {
  if (grader.archivedAt === null) return undefined;
  refuseShippedName(name);
  return name ?? grader.name;
}

/** `liveCount`: the project's own, without the one that is to come. */
export function refuseTooMany(liveCount: number): void {
  if (liveCount < LIMITS.graders) return;
  throw new AppError(
    "conflict",
    `A project has at most ${LIMITS.graders} live graders; archive one that is not needed.`,
  );
}

function refuseUnreadable(definition: Definition): void {
  if (definition.kind !== "check") return;
  const check = parseCheck(definition.check);
  if (check === undefined) throw new AppError("unprocessable", FORMS);
  if (check.form === "unreadable") throw new AppError("unprocessable", `The check cannot be read: ${check.problem}`);
}

const FORMS = `The check is in no form that code decides. Write one of these, as docs/behaviors.md explains them, or send the sentence as the criterion of the kind \`llm\`: ${[
  "calls TOOL [with NAME=VALUE, …] [exactly | at most | at least N times]",
  "never calls TOOL",
  "calls TOOL before | after TOOL",
  "handles error of TOOL",
  'says | never says "WORDS" | /PATTERN/ [within first N turns]',
  'repeats back "WORDS"',
  "asks for THING",
  "responds within N ms [p50 | p90 | p95 | p99]",
  "no silence over N s",
  "stops within N ms when interrupted",
  "ends | never ends the call",
  "transfers | never transfers to human",
  "finishes within N turns",
].join("; ")}.`;

function refuseUnfit({ kind }: Definition, { scope }: Settings): void {
  if (kind !== "expected_behaviors" || scope === "simulations") return;
  throw new AppError(
    "unprocessable",
    "Only a simulation has expected behaviors: leave the scope at `simulations`, or make a grader of kind `check` or `llm`.",
  );
}

function refuseShipped(grader: Grader): void {
  if (grader.projectId !== null) return;
  throw new AppError(
    "conflict",
    `"${grader.name}" ships with the service and stays as it is: change its settings, or create a grader of your own.`,
  );
}

function refuseArchived(grader: Grader): void {
  if (grader.archivedAt === null) return;
  throw new AppError("conflict", "The grader is archived: restore it first.");
}

/** A name means one grader. */
function refuseShippedName(name: string | undefined): void {
  if (!SHIPPED.some((grader) => grader.name === name)) return;
  throw new AppError("name_taken", "A grader that ships with the service has this name; choose another.");
}

export const gradesSimulations = ({ settings: { enabled, scope } }: Grader): boolean =>
  enabled && scope !== "production";

export const gradesProduction = ({ settings: { enabled, scope, productionSampleRate } }: Pick<Grader, "settings">) =>
  enabled && scope !== "simulations" && productionSampleRate > 0;

/** Labels that say the same of grades that said the same. */
export type LabelCount = Pick<GraderVersion, "id" | "version"> & {
  graded: Verdict;
  verdict: "passed" | "failed";
  count: number;
};

/** Of the current version, and of each that was labeled, the newest first. */
export function presentAgreement({ current }: Grader, counts: readonly LabelCount[]): GraderAgreement[] {
  const versions = new Map([current, ...counts].map(({ id, version }) => [id, version]));
  return [...versions]
    .sort(([, one], [, other]) => other - one)
    .map(([versionId, version]) => {
      const own = counts.filter(({ id }) => id === versionId);
      const decided = own.flatMap(({ graded: grader, verdict: person, count }) =>
        grader === "passed" || grader === "failed" ? Array.from({ length: count }, () => ({ grader, person })) : [],
      );
      const all = own.reduce((sum, { count }) => sum + count, 0);
      return { versionId, version, undecided: all - decided.length, ...agreementOf(decided) };
    });
}

export function presentGrader(grader: Grader): GraderAnswer {
  const { id, projectId, name, current, settings, archivedAt, createdAt, updatedAt } = grader;
  return {
    id,
    projectId,
    name,
    source: projectId === null ? "shipped" : "own",
    version: current.version,
    versionId: current.id,
    definition: current.definition,
    ...settings,
    archived: archivedAt !== null,
    archivedAt,
    createdAt,
    updatedAt,
  };
}

export function presentVersion(grader: Grader, version: GraderVersion): VersionAnswer {
  return {
    id: version.id,
    graderId: grader.id,
    graderName: grader.name,
    version: version.version,
    current: version.id === grader.current.id,
    definition: version.definition,
    createdAt: version.createdAt,
  };
}
