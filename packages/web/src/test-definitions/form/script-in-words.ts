import type { CallerScript } from "@svc/contract/constants";

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Says what the scripted caller does with a scenario. */
export function scriptInWords({ lines, facts }: Pick<CallerScript, "lines" | "facts">): string {
  const [says, knows] = [counted(lines.length, "line"), counted(facts.length, "fact")];
  if (lines.length === 0 && facts.length === 0) return "No line is prescribed: the caller finds its own words.";
  if (lines.length === 0) return `The scripted caller knows ${knows}.`;
  return facts.length === 0
    ? `The scripted caller says ${says}.`
    : `The scripted caller says ${says} and knows ${knows}.`;
}
