import type { GraderDefinition } from "@svc/contract";
import { formatMs } from "../ui/format.ts";

type BuiltIn = Extract<GraderDefinition, { kind: "built_in" }>["name"];

const BUILT_IN: Record<BuiltIn, string> = {
  unanswered_turns: "Fails when the agent leaves a turn of the caller unanswered and the caller speaks again.",
  missed_final_turn: "Fails when the caller’s last turn has no answer and the caller did not end the call.",
  duplicate_tool_call:
    "Fails when a tool that succeeded is called again with the same arguments before the caller speaks.",
  unhandled_tool_error: "Fails when a tool fails and the agent claims success, or says nothing.",
  repeated_sentence: "Fails when the agent repeats itself and the caller did not ask for it.",
  claimed_without_tool_call: "Fails when the agent says that something is done and no tool that could do it succeeded.",
  response_latency: "Fails when more than one answer in twenty takes longer than 3 s.",
  turn_taking: "Scores how well the agent waits, answers in time, and yields when it is interrupted.",
};

export function definitionSentence(definition: GraderDefinition): string {
  switch (definition.kind) {
    case "expected_behaviors":
      return "Decides each expected behavior of the test.";
    case "check":
      return definition.check;
    case "latency":
      return `${percentileWords(definition.percentile)} within ${formatMs(definition.maxMs)}.`;
    case "llm":
      return definition.criterion;
    case "built_in":
      return BUILT_IN[definition.name];
  }
}

const percentileWords = (percentile: number): string =>
  percentile === 50 ? "Half of the answers come" : `${percentile} of 100 answers come`;

export const decidedByWords = ({ kind }: GraderDefinition): string =>
  kind === "llm" ? "judge" : kind === "expected_behaviors" ? "check or judge" : "check";

/** The difference between two versions compares these lines. */
export function definitionLines(definition: GraderDefinition): string[] {
  switch (definition.kind) {
    case "latency":
      return ["Kind: latency", `At most: ${definition.maxMs} ms`, `Percentile: ${definition.percentile}`];
    case "llm":
      return [
        "Kind: judge",
        ...labelled("Criterion", definition.criterion),
        ...labelled("Passes when", definition.passesWhen),
        ...labelled("Fails when", definition.failsWhen),
      ];
    case "check":
      return ["Kind: check", ...labelled("Check", definition.check)];
    default:
      return [definitionSentence(definition)];
  }
}

const labelled = (label: string, text: string | undefined): string[] =>
  text === undefined ? [] : [`${label}:`, ...text.split("\n").map((line) => `  ${line}`)];

/** Kinds of definitions that a person can write. */
const OWN_KINDS = ["check", "latency", "llm"] as const;
type OwnKind = (typeof OWN_KINDS)[number];

export type DefinitionDraft = {
  kind: OwnKind;
  check: string;
  maxMs: string;
  percentile: string;
  criterion: string;
  passesWhen: string;
  failsWhen: string;
};

/** Parts of a grader that a version conflict concerns. */
export type GraderContent = { name: string; draft: DefinitionDraft };

const EMPTY_DRAFT: DefinitionDraft = {
  kind: "check",
  check: "",
  maxMs: "1500",
  percentile: "95",
  criterion: "",
  passesWhen: "",
  failsWhen: "",
};

export function draftOf(definition?: GraderDefinition): DefinitionDraft {
  switch (definition?.kind) {
    case "check":
      return { ...EMPTY_DRAFT, kind: "check", check: definition.check };
    case "latency":
      return {
        ...EMPTY_DRAFT,
        kind: "latency",
        maxMs: String(definition.maxMs),
        percentile: String(definition.percentile),
      };
    case "llm": {
      const { criterion, passesWhen = "", failsWhen = "" } = definition;
      return { ...EMPTY_DRAFT, kind: "llm", criterion, passesWhen, failsWhen };
    }
    default:
      return EMPTY_DRAFT;
  }
}

/** The service validates the definition. */
export function definitionOf(draft: DefinitionDraft): GraderDefinition {
  if (draft.kind === "check") return { kind: "check", check: draft.check.trim() };
  if (draft.kind === "latency")
    return { kind: "latency", maxMs: Number(draft.maxMs), percentile: Number(draft.percentile) as 50 | 90 | 95 | 99 };
  const [passesWhen, failsWhen] = [draft.passesWhen.trim(), draft.failsWhen.trim()];
  return {
    kind: "llm",
    criterion: draft.criterion.trim(),
    ...(passesWhen !== "" && { passesWhen }),
    ...(failsWhen !== "" && { failsWhen }),
  };
}
