import { type Decision, failed, inconclusive, passed } from "../../decision.ts";
import type { Evidence } from "../../evidence.ts";
import type { Check } from "../check.ts";
import { takeTool } from "../grammar/tool.ts";
import { byAbsence, toolDoubt } from "../missing-evidence.ts";
import { isTool } from "../tool-names.ts";
import { proofsOf } from "../wanted-call.ts";
import type { Form } from "./form.ts";

type CallsOnly = Check & { form: "calls_only" };

const VERB = /^(?:calls?|uses?|invokes?)\s+/i;
const ANY = /^any\s+(?:tools?|functions?)$/i;
const NO = /^no\s+(?:tools?|functions?)(?:\s+(?:other\s+than|except|but)\s+(?<tool>[^]+))?$/i;
const ONLY = /^only\s+(?<tool>[^]+)$/i;

export const callsOnly: Form<CallsOnly> = {
  name: "calls_only",
  title: "calls no other tool",
  examples: [
    "calls only get_hours",
    "calls no tool other than get_hours",
    "never calls any tool",
    "does not use any tools",
  ],
  reads: "the names of all tool calls",
  unsure: "the only tool was not called, a name may have a typing error, or some calls are unknown",
  judgeCanTell: true,
  nearly: /^(?:calls?|uses?|invokes?)\s+(?:any|no|only)\b/i,
  read({ never, text }) {
    const verb = VERB.exec(text);
    const object = verb === null ? "" : text.slice(verb[0].length);
    if (never) return ANY.test(object) ? { form: "calls_only", tools: [] } : undefined;
    const match = NO.exec(object) ?? ONLY.exec(object);
    if (match === null) return undefined;
    const name = match.groups!["tool"];
    const taken = name === undefined ? undefined : takeTool(name, true);
    if (name === undefined) return { form: "calls_only", tools: [] };
    return taken?.rest === "" ? { form: "calls_only", tools: [taken.tool] } : undefined;
  },
  echo: ({ tools }) =>
    tools.length === 0
      ? "The agent calls no tool."
      : `The agent calls no tool other than ${tools.map((tool) => `\`${tool}\``).join(" and ")}.`,
  decide: decideOnly,
};

function decideOnly({ tools }: CallsOnly, evidence: Evidence): Decision {
  const kinds = evidence.toolCalls.map((call) => {
    const each = tools.map((tool) => isTool(tool, call, evidence));
    return each.includes(true) ? true : call.name === null || each.includes(null) ? null : false;
  });
  const indexes = [...kinds.keys()];
  const others = indexes.filter((at) => kinds[at] === false);
  const unnamed = indexes.filter((at) => kinds[at] === null);
  if (others.length > 0) return failed(`The agent called ${evidence.toolCalls[others[0]!]!.name}.`, proofsOf(others));
  if (tools.length === 0 && unnamed.length > 0) return failed("The agent called a tool.", proofsOf(unnamed));
  if (unnamed.length > 0)
    return inconclusive("The name of a call is not known, or has a typing error.", proofsOf(unnamed));
  const reason =
    tools.length === 0 ? "The agent called no tool." : `The agent called no tool other than ${tools.join(", ")}.`;
  const absent = tools.length > 0 && indexes.length === 0 ? `It did not call ${tools.join(", ")} either.` : null;
  return byAbsence(passed(reason, proofsOf(indexes)), evidence, toolDoubt(evidence), absent);
}
