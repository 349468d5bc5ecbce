import { Flags } from "@oclif/core";
import type { Grader, GraderDefinition, GraderSettings } from "@svc/contract";
import { BUILT_IN_GRADERS } from "@svc/contract/constants";
import { facts } from "../terminal/output.ts";
import { usage } from "../refusal.ts";

const PERCENTILES = [50, 90, 95, 99] as const;

export const definitionFlags = {
  check: Flags.string({
    description: `A sentence that code can decide, such as: never says "guarantee".`,
    helpValue: "<sentence>",
  }),
  criterion: Flags.string({
    description: "Criterion that a language model judges, as a sentence.",
    helpValue: "<text>",
  }),
  "passes-when": Flags.string({ description: "Description of a pass, for the judge.", dependsOn: ["criterion"] }),
  "fails-when": Flags.string({ description: "Description of a failure, for the judge.", dependsOn: ["criterion"] }),
  "latency-ms": Flags.integer({
    description:
      "Largest response time in milliseconds: response latency, or in typed conversations text response time.",
    min: 1,
  }),
  percentile: Flags.option({
    options: PERCENTILES.map(String),
    description: "Percentile of the response times that the grader compares with --latency-ms. Default: 95.",
    dependsOn: ["latency-ms"],
  })(),
  "built-in": Flags.option({ options: BUILT_IN_GRADERS, description: "Grader that ships with the service." })(),
  behaviors: Flags.boolean({ description: "Grade each expected behavior of the simulation's test." }),
};

export const settingsFlags = {
  enabled: Flags.boolean({ description: "Whether the grader grades conversations.", allowNo: true }),
  counts: Flags.boolean({ description: "Whether the grader influences the verdicts of simulations.", allowNo: true }),
  scope: Flags.option({
    options: ["simulations", "production", "both"] as const,
    description: "Which conversations the grader grades.",
  })(),
  "sample-rate": Flags.string({
    description: "Share of production conversations to grade, from 0 to 1.",
    helpValue: "<share>",
  }),
};

type DefinitionFlags = {
  check?: string | undefined;
  criterion?: string | undefined;
  "passes-when"?: string | undefined;
  "fails-when"?: string | undefined;
  "latency-ms"?: number | undefined;
  percentile?: string | undefined;
  "built-in"?: (typeof BUILT_IN_GRADERS)[number] | undefined;
  behaviors?: boolean | undefined;
};

/** Throws when the flags set more than one definition. */
export function definitionOf(flags: DefinitionFlags): GraderDefinition | undefined {
  const { check, criterion, "latency-ms": maxMs, "built-in": name, behaviors } = flags;
  const percentile = PERCENTILES.find((one) => String(one) === flags.percentile) ?? 95;
  const [passesWhen, failsWhen] = [flags["passes-when"], flags["fails-when"]];
  const definitions: GraderDefinition[] = [];
  if (check !== undefined) definitions.push({ kind: "check", check });
  if (criterion !== undefined) {
    const examples = { ...(passesWhen !== undefined && { passesWhen }), ...(failsWhen !== undefined && { failsWhen }) };
    definitions.push({ kind: "llm", criterion, ...examples });
  }
  if (maxMs !== undefined) definitions.push({ kind: "latency", maxMs, percentile });
  if (name !== undefined) definitions.push({ kind: "built_in", name });
  if (behaviors) definitions.push({ kind: "expected_behaviors" });
  if (definitions.length > 1) throw usage(`A grader has one definition. Set only one of ${DEFINITION_FLAGS}.`);
  return definitions[0];
}

export const DEFINITION_FLAGS = "--check, --criterion, --latency-ms, --built-in or --behaviors";

type SettingsFlags = {
  enabled?: boolean | undefined;
  counts?: boolean | undefined;
  scope?: GraderSettings["scope"] | undefined;
  "sample-rate"?: string | undefined;
};

export function settingsOf(flags: SettingsFlags): Partial<GraderSettings> | undefined {
  const { enabled, counts, scope, "sample-rate": rate } = flags;
  const settings = {
    ...(enabled !== undefined && { enabled }),
    ...(counts !== undefined && { counts }),
    ...(scope !== undefined && { scope }),
    ...(rate !== undefined && { productionSampleRate: shareOf(rate) }),
  };
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function shareOf(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw usage(
    `"${text}" is not a share from 0 to 1. Set --sample-rate to 0.1, for example, for one conversation in ten.`,
  );
}

export function definitionText(definition: GraderDefinition): string {
  switch (definition.kind) {
    case "expected_behaviors":
      return "each expected behavior of the test";
    case "check":
      return definition.check;
    case "latency":
      return `responds within ${definition.maxMs} ms p${definition.percentile}`;
    case "llm":
      return definition.criterion;
    case "built_in":
      return definition.name;
  }
}

export const useText = ({ enabled, counts }: GraderSettings): string =>
  !enabled ? "off" : counts ? "counts" : "shown";

export function scopeText({ scope, productionSampleRate: rate }: GraderSettings): string {
  const production = `production (${Number((rate * 100).toPrecision(3))} %)`;
  if (scope === "both") return `simulations, ${production}`;
  return scope === "production" ? production : scope;
}

export function graderText(grader: Grader): string {
  const { definition } = grader;
  return facts([
    ["Grader", grader.id],
    ["Version", `${grader.version} (${grader.versionId})`],
    ["Kind", definition.kind],
    ["Definition", definitionText(definition)],
    ["Passes when", "passesWhen" in definition ? definition.passesWhen : undefined],
    ["Fails when", "failsWhen" in definition ? definition.failsWhen : undefined],
    ["Use", useText(grader)],
    ["Grades", scopeText(grader)],
    ["Archived", grader.archivedAt ?? undefined],
  ]);
}
