/** One line of a scenario's script. */
export type ScriptLine = {
  /** The source of a regular expression that the agent's words must match first. */
  waitFor: string | null;
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
 * Returns the caller's lines in a scenario, or undefined when there are no lines: a numbered or dashed list under a line
 * `Caller says:`. A line may start with `(wait for: /regex/)` and `(silence 3s)`, and may be `(hang up)` alone.
 */
export function scriptOf(scenario: string): ScriptLine[] | undefined {
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
  return items.length > 0 ? items.map(lineOf) : undefined;
}

/** Returns the scenario without its script: who calls, and why. */
export function withoutScript(scenario: string): string {
  const lines = scenario.split(/\r?\n/);
  const heading = lines.findIndex((line) => HEADING.test(line));
  return (heading < 0 ? lines : lines.slice(0, heading)).join("\n").trim();
}

function lineOf(item: string): ScriptLine {
  const line: ScriptLine = { waitFor: null, waitForFlags: "", silenceMs: 0, text: null, hangUp: false };
  let rest = item;
  for (let match = DIRECTION.exec(rest); match; match = DIRECTION.exec(rest)) {
    const { hang, seconds, source, flags } = match.groups!;
    if (hang) line.hangUp = true;
    if (seconds) line.silenceMs = Math.min(SILENCE_MAX_MS, line.silenceMs + Number(seconds) * 1000);
    if (source) [line.waitFor, line.waitForFlags] = [source, flags ?? ""];
    rest = rest.slice(match[0].length);
  }
  const text = rest.trim().replace(/^"(.*)"$/s, "$1");
  line.text = text === "" ? null : text;
  return line;
}
