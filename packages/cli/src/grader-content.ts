import { Flags } from "@oclif/core";
import type { Grader, GraderDefinition, GraderSettings } from "@svc/contract";
import { BUILT_IN_GRADERS } from "@svc/contract/constants";
import { facts } from "./output.ts";
import { usage } from "./refusal.ts";

const PERCENTILES = [50, 90, 95, 99] as const;

/** Flags of what a grader looks at. */
export const definitionFlags = {
  check: Flags.string({
    description: `A sentence in a form that code decides, such as: never says "guarantee".`,
    helpValue: "<sentence>",
  }),
  criterion: Flags.string({ description: "What the agent must do, for a judge.", helpValue: "<text>" }),
  "passes-when": Flags.string({ description: "What a pass looks like.", dependsOn: ["criterion"] }),
  "fails-when": Flags.string({ description: "What a failure looks like.", dependsOn: ["criterion"] }),
  "latency-ms": Flags.integer({ description: "Answers come within so many milliseconds.", min: 1 }),
  percentile: Flags.option({
    options: PERCENTILES.map(String),
    description: "Of the answers; default 95.",
    dependsOn: ["latency-ms"],
  })(),
  "built-in": Flags.option({ options: BUILT_IN_GRADERS, description: "One that ships with the service." })(),
  behaviors: Flags.boolean({ description: "Each expected behavior of the simulation's test." }),
};

/** Flags of how the project uses a grader. */
export const settingsFlags = {
  enabled: Flags.boolean({ description: "Whether it grades at all.", allowNo: true }),
  counts: Flags.boolean({ description: "Whether it influences a simulation's verdict.", allowNo: true }),
  scope: Flags.option({
    options: ["simulations", "production", "both"] as const,
    description: "Which conversations it grades.",
  })(),
  "sample-rate": Flags.string({
    description: "Share of production conversations, from 0 to 1.",
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

/** What the flags define; undefined when they define nothing. */
export function definitionOf(flags: DefinitionFlags): GraderDefinition | undefined {
  const { check, criterion, "latency-ms": maxMs, "built-in": name, behaviors } = flags;
  const percentile = PERCENTILES.find((known) => String(known) === flags.percentile) ?? 95;
  const [passesWhen, failsWhen] = [flags["passes-when"], flags["fails-when"]];
  const given: GraderDefinition[] = [
    ...(check === undefined ? [] : [{ kind: "check" as const, check }]),
    ...(criterion === undefined
      ? []
      : [
          {
            kind: "llm" as const,
            criterion,
            ...(passesWhen !== undefined && { passesWhen }),
            ...(failsWhen !== undefined && { failsWhen }),
          },
        ]),
    ...(maxMs === undefined ? [] : [{ kind: "latency" as const, maxMs, percentile }]),
    ...(name === undefined ? [] : [{ kind: "built_in" as const, name }]),
    ...(behaviors ? [{ kind: "expected_behaviors" as const }] : []),
  ];
  if (given.length > 1) throw usage(`A grader looks at one thing: give one of ${DEFINING}.`);
  return given[0];
}

export const DEFINING = "--check, --criterion, --latency-ms, --built-in or --behaviors";

type SettingsFlags = {
  enabled?: boolean | undefined;
  counts?: boolean | undefined;
  scope?: GraderSettings["scope"] | undefined;
  "sample-rate"?: string | undefined;
};

/** The settings that the flags name; undefined when they name none. */
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
  throw usage(`--sample-rate takes a share from 0 to 1, such as 0.1 for one conversation in ten; not "${text}".`);
}

/** What a grader looks at, in a line. */
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

/** `simulations`, `production (10 %)`, `simulations, production (10 %)` */
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
    ["Looks at", definitionText(definition)],
    ["Passes when", "passesWhen" in definition ? definition.passesWhen : undefined],
    ["Fails when", "failsWhen" in definition ? definition.failsWhen : undefined],
    ["Use", useText(grader)],
    ["Grades", scopeText(grader)],
    ["Archived", grader.archivedAt ?? undefined],
  ]);
}
