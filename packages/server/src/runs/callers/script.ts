/** One line of a scenario's script. */
export type Step = {
  waitFor: string | null; // the source of a regular expression that the agent's words must match first
  waitForFlags: string;
  silenceMs: number;
  text: string | null;
  hangUp: boolean;
};

const HEADING = /^\s*(?:#+\s*)?\**caller says:?\**\s*$/i;
const ITEM = /^\s*(?:\d{1,3}[.)]|[-*•])\s+(.*)$/;
const DIRECTION =
  /^\(\s*(?:(?<hang>hang\s?up)|silence\s+(?<seconds>\d{1,3}(?:\.\d{1,3})?)\s*s|wait for:?\s*\/(?<source>.+)\/(?<flags>[ims]*))\s*\)\s*/i;
const SILENCE_MAX_MS = 60_000;

/**
 * The caller's lines in a scenario: a numbered or dashed list under a line `Caller says:`. Undefined when it has none. A
 * line may start with `(wait for: /regex/)` and `(silence 3s)`, and may be `(hang up)` alone.
 */
export function scriptOf(scenario: string): Step[] | undefined {
  const lines = scenario.split(/\r?\n/);
  const heading = lines.findIndex((line) => HEADING.test(line));
  if (heading < 0) return undefined;
  const items: string[] = [];
  for (const line of lines.slice(heading + 1)) {
    const item = ITEM.exec(line);
    if (item) items.push(item[1]!.trim());
    else if (line.trim() === "") continue;
    else if (items.length > 0 && /^\s+\S/.test(line)) items.push(`${items.pop()} ${line.trim()}`);
    else break;
  }
  return items.length > 0 ? items.map(stepOf) : undefined;
}

/** The scenario without its script: who calls, and why. */
export function withoutScript(scenario: string): string {
  const lines = scenario.split(/\r?\n/);
  const heading = lines.findIndex((line) => HEADING.test(line));
  return (heading < 0 ? lines : lines.slice(0, heading)).join("\n").trim();
}

function stepOf(item: string): Step {
  const step: Step = { waitFor: null, waitForFlags: "", silenceMs: 0, text: null, hangUp: false };
  let rest = item;
  for (let found = DIRECTION.exec(rest); found; found = DIRECTION.exec(rest)) {
    const { hang, seconds, source, flags } = found.groups!;
    if (hang) step.hangUp = true;
    if (seconds) step.silenceMs = Math.min(SILENCE_MAX_MS, step.silenceMs + Number(seconds) * 1000);
    if (source) [step.waitFor, step.waitForFlags] = [source, flags ?? ""];
    rest = rest.slice(found[0].length);
  }
  const text = rest.trim().replace(/^"(.*)"$/s, "$1");
  step.text = text === "" ? null : text;
  return step;
}
