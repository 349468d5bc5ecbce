import {
  type GraderDefinition,
  type GraderSettings,
  type LabelVerdict,
  LIMITS,
  type operations,
  type Verdict,
} from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import { FORMS } from "../checks/table.ts";
import { readBehavior } from "../read-behavior.ts";
import { type Change, changeOf, staleEdit } from "../../base/versions.ts";
import type { GraderContent, ProjectGrader } from "./grader.ts";
import type { DecidingJudge } from "./judge-of.ts";
import { DEFAULT_SETTINGS, SHIPPED } from "./library.ts";

type CreateBody = z.output<(typeof operations.graders.create)["body"]>;
type EditBody = z.output<(typeof operations.graders.edit)["body"]>;
type ConfigureBody = z.output<(typeof operations.graders.configure)["body"]>;

export type NewGrader = { name: string; content: GraderContent; settings: GraderSettings };

export function decideCreate({ name, definition, ...changes }: CreateBody): NewGrader {
  refuseShippedName(name);
  refuseUnreadable(definition);
  const settings = settingsWith(DEFAULT_SETTINGS, changes);
  refuseUnfit(definition, settings);
  return { name, content: { definition }, settings };
}

export function decideEdit(
  grader: ProjectGrader,
  { expectedVersionId, name, definition }: EditBody,
): Change<GraderContent> {
  refuseShipped(grader);
  refuseArchived(grader);
  const change = changeOf(grader, expectedVersionId, { name, content: { definition } }, staleEdit("grader"));
  refuseShippedName(change.name);
  if (change.content) {
    refuseUnreadable(change.content.definition);
    refuseUnfit(change.content.definition, grader.settings);
  }
  return change;
}

export function decideSettings(grader: ProjectGrader, changes: ConfigureBody): GraderSettings {
  refuseArchived(grader);
  const settings = settingsWith(grader.settings, changes);
  refuseUnfit(grader.current.content.definition, settings);
  return settings;
}

const settingsWith = (settings: GraderSettings, changes: ConfigureBody): GraderSettings => ({
  enabled: changes.enabled ?? settings.enabled,
  counts: changes.counts ?? settings.counts,
  scope: changes.scope ?? settings.scope,
  productionSampleRate: changes.productionSampleRate ?? settings.productionSampleRate,
});

/** Returns whether archiving changes the grader. */
export function decideArchive(grader: ProjectGrader): boolean {
  refuseShipped(grader);
  return grader.archived_at === null;
}

export function decideRestore(grader: ProjectGrader, name: string | undefined): string | undefined {
  if (grader.archived_at === null) return undefined;
  refuseShippedName(name);
  return name ?? grader.name;
}

export function refuseTooMany(liveCount: number): void {
  if (liveCount < LIMITS.graders) return;
  throw new AppError("conflict", `A project has at most ${LIMITS.graders} live graders. Archive one first.`);
}

function refuseUnreadable(definition: GraderDefinition): void {
  if (definition.kind !== "check") return;
  const { decidedBy, problem, suggestion } = readBehavior(definition.check, true);
  if (problem !== null) throw new AppError("unprocessable", `The check cannot be read: ${problem}`);
  if (decidedBy !== "check")
    throw new AppError(
      "unprocessable",
      suggestion === null ? FORMS_REFUSAL : `${FORMS_REFUSAL} The nearest form: ${suggestion}`,
    );
}

const FORMS_REFUSAL = `The check has no form that code can decide. Write it in one of the forms of docs/behaviors.md, or send the sentence as the criterion of a grader of kind \`llm\`. The forms, by example: ${FORMS.map(({ examples }) => examples[0]).join("; ")}.`;

function refuseUnfit({ kind }: GraderDefinition, { scope }: GraderSettings): void {
  if (kind !== "expected_behaviors" || scope === "simulations") return;
  throw new AppError(
    "unprocessable",
    "Only simulations have expected behaviors. Use the scope `simulations`, or a grader of kind `check` or `llm`.",
  );
}

function refuseShipped(grader: ProjectGrader): void {
  if (grader.project_id !== null) return;
  throw new AppError(
    "conflict",
    `"${grader.name}" ships with the service and cannot be changed. Change its settings, or create your own grader.`,
  );
}

function refuseArchived(grader: ProjectGrader): void {
  if (grader.archived_at === null) return;
  throw new AppError("conflict", "The grader is archived. Restore it first.");
}

function refuseShippedName(name: string | undefined): void {
  if (!SHIPPED.some((grader) => grader.name === name)) return;
  throw new AppError("name_taken", "A grader that ships with the service has this name; choose another.");
}

export const gradesSimulations = ({ enabled, scope }: GraderSettings): boolean => enabled && scope !== "production";

export const gradesProduction = ({ enabled, scope, productionSampleRate }: GraderSettings): boolean =>
  enabled && scope !== "simulations" && productionSampleRate > 0;

/** Number of labels with one verdict on grades with one verdict, for one grader version and one judge. */
export type LabelCount = {
  id: string;
  version: number;
  /** Null for grades that no judge decided. */
  judge: DecidingJudge | null;
  graded: Verdict;
  verdict: LabelVerdict;
  count: number;
};
