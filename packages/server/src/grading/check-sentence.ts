import { jsonOf } from "./bounds.ts";
import type { Check, WantedArguments, WantedValue } from "./checks/check.ts";
import type { Pattern } from "./pattern/pattern.ts";

/** Returns what a check decides as a sentence for people. */
export function sentenceOf(check: Check): string {
  switch (check.form) {
    case "calls":
      return `The agent ${timesOf(check)} \`${check.tool}\`${argumentsOf(check.arguments)}${countOf(check)}.`;
    case "calls_before":
      return `The agent calls \`${check.first}\` before any call of \`${check.second}\`.`;
    case "handles_error":
      return `After a failed call of \`${check.tool}\` the agent calls it again with success, or admits the failure.`;
    case "says": {
      const said =
        check.said.kind === "words" ? `"${check.said.text}"` : `words that match ${sourceOf(check.said.pattern)}`;
      return `The agent ${check.never ? "never says" : "says"} ${said}${turnsOf(check.firstTurns)}.`;
    }
    case "repeats_back":
      return `The agent repeats back "${check.text}" after the caller says it.`;
    case "asks_for":
      return `The agent asks a question for the ${check.thing}.`;
    case "responds_within":
      return `${shareOf(check.percentile)} of the agent come within ${check.ms} ms.`;
    case "no_silence_over":
      return `No silence is longer than ${check.ms} ms.`;
    case "stops_within":
      return `The agent stops within ${check.ms} ms when the caller interrupts.`;
    case "ends_call":
      return `The agent ${check.never ? "never ends" : "ends"} the call.`;
    case "transfers":
      return `The agent ${check.never ? "never transfers" : "transfers"} the call to a human.`;
    case "finishes_within":
      return `The conversation finishes within ${check.turns} turns of both parties.`;
    case "unreadable":
      return check.problem;
  }
}

type Calls = Check & { form: "calls" };

const timesOf = ({ most }: Calls): string => (most === 0 ? "never calls" : "calls");

function countOf({ least, most }: Calls): string {
  if (most === 0 || (least === 1 && most === Infinity)) return "";
  if (least === most) return ` exactly ${counted(least)}`;
  return most === Infinity ? ` at least ${counted(least)}` : ` at most ${counted(most)}`;
}

const counted = (count: number): string => (count === 1 ? "once" : `${count} times`);

function argumentsOf(wanted: WantedArguments | null): string {
  if (wanted === null) return "";
  const each = wanted.each.map(({ path, wanted: value }) => `${path.join(".")}${valueOf(value)}`);
  return ` with ${wanted.only ? "exactly " : ""}${listed(each)}`;
}

const listed = (items: readonly string[]): string =>
  items.length === 1 ? items[0]! : `${items.slice(0, -1).join(", ")} and ${items.at(-1)!}`;

function valueOf(value: WantedValue): string {
  if (value.kind === "pattern") return ` that matches ${sourceOf(value.pattern)}`;
  return ` = ${value.kind === "bare" ? value.text : jsonOf(value.value)}`;
}

const sourceOf = ({ source, flags }: Pattern): string => `/${source}/${flags}`;

const turnsOf = (count: number | null): string =>
  count === null ? "" : count === 1 ? " in its first turn" : ` in its first ${count} turns`;

const shareOf = (percentile: number): string => (percentile === 100 ? "All answers" : `${percentile} % of the answers`);
