// Measures how well failures are grouped: `npm run bench -- groups [FILE]`. A file has JSON lines with `cause`, `agent`, `whatFailed`,
// `turns` and `failingTurn`. The default is bench/failing-turns.jsonl.gz: invented failures of 40 causes, whose author did not know
// the code. With `generated` in place of a file, uses the failing turns that the specs generate.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gunzipSync } from "node:zlib";
import type { FailedThing } from "@svc/contract";
import { TELLS_CAUSE } from "../packages/server/src/groups/failure-rules.ts";
import { componentsOf, joiningWords, wordingOf } from "../packages/server/src/groups/similar-rules.ts";
import { type FailingTurn, failingTurns } from "../test/support/failing-conversations.ts";

type Line = {
  cause: string;
  agent: string;
  whatFailed: { kind: FailedThing["kind"]; name: string; errorClass?: string };
  turns: { text: string }[];
  failingTurn: number;
};

const [file = join(import.meta.dirname, "failing-turns.jsonl.gz")] = process.argv.slice(2);
const failures = file === "generated" ? failingTurns(2_000) : readLines(file);

const start = performance.now();
const groups = groupsOf(failures);
const tookMs = performance.now() - start;
const { purity, completeness, causes } = scoreOf(groups);
console.log(`${failures.length} failures of ${causes} causes: ${groups.length} groups in ${tookMs.toFixed(0)} ms`);
console.log(`purity        ${purity.toFixed(3)}  share of failures whose group has mostly their cause`);
console.log(`completeness  ${completeness.toFixed(3)}  share of the pairs of a cause that are in one group`);
const again = groupsOf(failures.toReversed());
const asText = (all: FailingTurn[][]) =>
  all
    .map((group) =>
      group
        .map(({ text, cause }) => `${cause} ${text}`)
        .sort()
        .join(),
    )
    .sort()
    .join();
console.log(`another order gives ${asText(again) === asText(groups) ? "the same groups" : "OTHER GROUPS"}`);
for (const group of groups.toSorted((one, other) => other.length - one.length).slice(0, 60)) {
  const counts = Map.groupBy(group, ({ cause }) => cause);
  const shown = [...counts].sort(([, a], [, b]) => b.length - a.length).slice(0, 4);
  const words = joiningWords(sizesOf(group)).join(" ");
  console.log(
    `${String(group.length).padStart(5)}  ${shown.map(([cause, of]) => `${cause} ${of.length}`).join(", ")}  [${words}]`,
  );
}

function readLines(path: string): FailingTurn[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => {
    const { cause, agent, whatFailed, turns, failingTurn } = JSON.parse(line) as Line;
    const { kind, name, errorClass = "" } = whatFailed;
    return { cause, agent, kind, whatFailed: `${kind} ${name} ${errorClass}`, text: turns[failingTurn]!.text };
  });
}

function sizesOf(group: readonly FailingTurn[]): Map<string, number> {
  const byWording = Map.groupBy(group, wordingOfTurn);
  return new Map([...byWording].map(([wording, of]) => [wording, of.length]));
}

function wordingOfTurn({ kind, text, agent }: FailingTurn): string {
  return TELLS_CAUSE.has(kind) ? "" : wordingOf(text, agent);
}

function groupsOf(all: readonly FailingTurn[]): FailingTurn[][] {
  return [...Map.groupBy(all, ({ whatFailed }) => whatFailed).values()].flatMap((same) => {
    const byWording = Map.groupBy(same, wordingOfTurn);
    return componentsOf([...byWording.keys()]).map((wordings) =>
      wordings.flatMap((wording) => byWording.get(wording)!),
    );
  });
}

/**
 * Returns two numbers. Purity is the share of failures that have the most common cause of their group. Completeness is the share of
 * the pairs of one cause that are in one group, weighted by the failures of the cause.
 */
function scoreOf(all: readonly FailingTurn[][]) {
  const pairs = (count: number) => (count * (count - 1)) / 2;
  const causes = Map.groupBy(all.flat(), ({ cause }) => cause);
  const together = new Map<string, number>();
  let pure = 0;
  for (const group of all) {
    const counts = [...Map.groupBy(group, ({ cause }) => cause)];
    pure += Math.max(...counts.map(([, of]) => of.length));
    for (const [cause, of] of counts) together.set(cause, (together.get(cause) ?? 0) + pairs(of.length));
  }
  const repeated = [...causes].filter(([, of]) => of.length > 1);
  const weight = repeated.reduce((sum, [, of]) => sum + of.length, 0);
  const weighted = repeated.reduce(
    (sum, [cause, of]) => sum + (of.length * together.get(cause)!) / pairs(of.length),
    0,
  );
  return { purity: pure / all.flat().length, completeness: weighted / weight, causes: repeated.length };
}
