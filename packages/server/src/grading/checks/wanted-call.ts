import { excerpt, jsonOf } from "../bounds.ts";
import type { Proof } from "../decision.ts";
import type { Evidence, EvidenceToolCall } from "../evidence.ts";
import type { Broken, WantedArguments, WantedCall, WantedValue } from "./check.ts";
import { takeArguments } from "./grammar/arguments.ts";
import { takeTool } from "./grammar/tool.ts";
import { isTool } from "./tool-names.ts";
import { matchesArguments } from "./wanted-arguments.ts";

type TakenCall = { call: WantedCall; rest: string };

export function takeCall(text: string, plainWords: boolean): TakenCall | Broken | undefined {
  const taken = takeTool(text, plainWords);
  if (taken === undefined) return undefined;
  const { tool, rest } = taken;
  if (!/^\s+(?:with|using)\s/i.test(rest)) return { call: { tool, arguments: null }, rest };
  const list = takeArguments(rest);
  if (list === undefined) return undefined;
  if ("problem" in list) return { form: "unreadable", problem: list.problem };
  return { call: { tool, arguments: list.arguments }, rest: list.rest };
}

export function callWords({ tool, arguments: wanted }: WantedCall): string {
  if (wanted === null) return `\`${tool}\``;
  return `\`${tool}\` with ${wanted.only ? "exactly " : ""}${conditionWords(wanted)}`;
}

const conditionWords = ({ each }: WantedArguments): string =>
  each.map(({ path, wanted }) => `${path.join(".")} ${valueWords(wanted)}`).join(" and ");

export const successWords = (tool: string, condition: WantedArguments): string =>
  `; \`${tool}\` succeeds when its result has ${condition.only ? "exactly " : ""}${conditionWords(condition)}`;

function valueWords(value: WantedValue): string {
  switch (value.kind) {
    case "bare":
      return `= ${value.text}`;
    case "text":
      return `= "${value.text}"`;
    case "json":
      return `that contains ${excerpt(jsonOf(value.value))}`;
    case "pattern":
      return `that matches /${value.pattern.source}/${value.pattern.flags}`;
  }
}

/**
 * Returns whether a call is the wanted call; undefined for a call of another tool, and null if the known name and arguments do not decide
 * it.
 */
export function isWanted(wanted: WantedCall, call: EvidenceToolCall, evidence: Evidence): boolean | null | undefined {
  const isMeant = isTool(wanted.tool, call, evidence);
  if (isMeant === false) return undefined;
  const matches = wanted.arguments === null ? true : matchesArguments(wanted.arguments, call.arguments);
  return matches === true && isMeant === null ? null : matches;
}

const OTHERS_SHOWN = 3;

export function otherCalls({ tool, arguments: wanted }: WantedCall, { toolCalls }: Evidence): string {
  const others = wanted === null ? [] : toolCalls.filter(({ name }) => name === tool);
  if (others.length === 0) return "";
  const shown = others.slice(0, OTHERS_SHOWN).map((call) => excerpt(jsonOf(call.arguments)));
  return ` It was called with ${shown.join(" and ")}.`;
}

export const proofsOf = (indexes: readonly number[]): Proof[] => indexes.map((toolCall) => ({ toolCall }));
