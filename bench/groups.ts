// How well failures are grouped: of failing turns of 40 known causes, or of a file of JSON lines with `cause`, `whatFailed`, `turns`
// and `failingTurn`. `npm run bench -- groups [FILE]`.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { componentsOf, joiningWords, wordingOf } from "../packages/server/src/groups/similar-rules.ts";
import { type FailingTurn, failingTurns } from "./failing-conversations.ts";

type Line = { cause: string; whatFailed: unknown; turns: (string | { text?: string })[]; failingTurn: number };

const [file] = process.argv.slice(2);
const failures = file === undefined ? failingTurns(2_000) : readLines(file);

const start = performance.now();
const groups = groupsOf(failures);
const tookMs = performance.now() - start;
const { purity, completeness, causes } = scoreOf(groups);
console.log(`${failures.length} failures of ${causes} causes: ${groups.length} groups in ${tookMs.toFixed(0)} ms`);
console.log(`purity        ${purity.toFixed(3)}  share of failures whose group has mostly their cause`);
console.log(`completeness  ${completeness.toFixed(3)}  share of failures in the largest group of their cause`);
const again = groupsOf(failures.toReversed());
const asText = (all: FailingTurn[][]) => all.map((group) => group.map(({ text, cause }) => `${cause} ${text}`).sort().join()).sort().join();
console.log(`another order gives ${asText(again) === asText(groups) ? "the same groups" : "OTHER GROUPS"}`);
for (const group of groups.toSorted((one, other) => other.length - one.length).slice(0, 60)) {
  const counts = Map.groupBy(group, ({ cause }) => cause);
  const shown = [...counts].sort(([, a], [, b]) => b.length - a.length).slice(0, 4);
  const words = joiningWords(sizesOf(group)).join(" ");
  console.log(`${String(group.length).padStart(5)}  ${shown.map(([cause, of]) => `${cause} ${of.length}`).join(", ")}  [${words}]`);
}

function readLines(path: string): FailingTurn[] {
  return readFileSync(path, "utf8").split("\n").filter(Boolean).map((line) => {
    const { cause, whatFailed, turns, failingTurn } = JSON.parse(line) as Line;
    const turn = turns[failingTurn];
    return { cause, whatFailed: JSON.stringify(whatFailed), text: (typeof turn === "string" ? turn : turn?.text) ?? "" };
  });
}

function sizesOf(group: readonly FailingTurn[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { text } of group) sizes.set(wordingOf(text), (sizes.get(wordingOf(text)) ?? 0) + 1);
  return sizes;
}

function groupsOf(all: readonly FailingTurn[]): FailingTurn[][] {
  return [...Map.groupBy(all, ({ whatFailed }) => whatFailed).values()].flatMap((same) => {
    const byWording = Map.groupBy(same, ({ text }) => wordingOf(text));
    return componentsOf([...byWording.keys()]).map((wordings) => wordings.flatMap((wording) => byWording.get(wording)!));
  });
}

function scoreOf(all: readonly FailingTurn[][]) {
  const most = new Map<string, number>();
  let pure = 0;
  for (const group of all) {
    const counts = [...Map.groupBy(group, ({ cause }) => cause)];
    pure += Math.max(...counts.map(([, of]) => of.length));
    for (const [cause, of] of counts) most.set(cause, Math.max(most.get(cause) ?? 0, of.length));
  }
  const sum = all.flat().length;
  return { purity: pure / sum, completeness: [...most.values()].reduce((a, b) => a + b, 0) / sum, causes: most.size };
}
