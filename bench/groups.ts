// Measures how well failures are grouped: `npm run bench -- groups [FILE]`. A file has JSON lines with `cause`, `agent`, `whatFailed`,
// `turns` and `failingTurn`. The default is bench/failing-turns.jsonl.gz: invented failures of 40 causes, whose author did not know
// the code. With `generated` in place of a file, uses the failing turns that the specs generate. With `--embeddings URL --model NAME`,
// also groups by meaning: half of the things whose words are compared choose the limit, and the other half has the result.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gunzipSync } from "node:zlib";
import { Command } from "commander";
import type { FailedThing } from "@svc/contract";
import { TELLS_CAUSE } from "../packages/server/src/groups/failure-rules.ts";
import { createEmbed, type Embed } from "../packages/server/src/groups/embeddings.ts";
import {
  baselineOf,
  createMeaning,
  textOfVector,
  UNRELATED_TEXTS,
  wordsToCompare,
} from "../packages/server/src/groups/meaning.ts";
import {
  componentsOf,
  joinedByMeaning,
  joiningWords,
  type Wording,
  wordingOf,
} from "../packages/server/src/groups/similar-rules.ts";
import { type FailingTurn, failingTurns } from "../test/support/failing-conversations.ts";

type Line = {
  cause: string;
  agent: string;
  whatFailed: { kind: FailedThing["kind"]; name: string; errorClass?: string };
  turns: { text: string }[];
  failingTurn: number;
};

const command = new Command("groups")
  .description("Measures how well failures are grouped.")
  .argument("[file]", "JSON lines of failures", join(import.meta.dirname, "failing-turns.jsonl.gz"))
  .option("--embeddings <url>", "an endpoint of the OpenAI embeddings API", process.env["SVC_EMBEDDINGS_BASE_URL"])
  .option("--model <name>", "its embedding model", process.env["SVC_EMBEDDINGS_MODEL"])
  .parse();
const file = command.processedArgs[0] as string;
const { embeddings, model = "" } = command.opts<{ embeddings?: string; model?: string }>();
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

const PURITY_LOST_MAX = 0.02;

/** Prints the scores with vectors. Only failures whose words are compared count here, because meaning changes no others. */
async function compareByMeaning(baseUrl: string, name: string): Promise<void> {
  const compared = failures.filter(({ kind }) => !TELLS_CAUSE.has(kind));
  const things = [...Map.groupBy(compared, ({ whatFailed }) => whatFailed).values()];
  const embed = createEmbed(
    { baseUrl, model: name, apiKey: process.env["SVC_EMBEDDINGS_API_KEY"], similarity: 1 },
    120_000,
  );
  const baseline = baselineOf(await embed(UNRELATED_TEXTS, new AbortController().signal));
  const vectors = await vectorsOf(things, embed);
  const [choosing, reporting] = [0, 1].map((half) => things.filter((_, index) => index % 2 === half));
  let leastPurity = 0;
  let chosen = Infinity;
  console.log(
    `\nby meaning with ${name}, to which unrelated texts have the similarity ${baseline.toFixed(2)}: purity and completeness of the choosing half, the other half, and both`,
  );
  for (let percent = 100; percent >= 40; percent -= 5) {
    const similarity = percent === 100 ? Infinity : percent / 100; // no two vectors are so similar: words alone
    const parts = await Promise.all(
      [choosing!, reporting!, things].map(async (part) =>
        scoreOf(await groupsByMeaning(part, { vectors, baseline, similarity })),
      ),
    );
    const shown = parts.map((each) => `${each.purity.toFixed(3)} ${each.completeness.toFixed(3)} in ${each.groups}`);
    console.log(`${percent === 100 ? "words" : `${similarity.toFixed(2)} `}  ${shown.join("   ")}`);
    if (percent === 100) leastPurity = parts[0]!.purity - PURITY_LOST_MAX;
    else if (parts[0]!.purity >= leastPurity && chosen > similarity) chosen = similarity;
  }
  console.log(`the least limit that costs the choosing half at most ${PURITY_LOST_MAX} of its purity: ${chosen}`);
}

async function vectorsOf(things: readonly FailingTurn[][], embed: Embed): Promise<Map<string, string>> {
  const words = things.flatMap((same) => [...wordsToCompare(new Set(same.map(wordingOfTurn))).values()]);
  const all = [...new Map(words.map((each) => [each.digest, each.words]))];
  const vectors = new Map<string, string>();
  for (let from = 0; from < all.length; from += 32) {
    const some = all.slice(from, from + 32);
    const answer = await embed(
      some.map(([, text]) => text),
      new AbortController().signal,
    );
    for (const [index, [digest]] of some.entries()) vectors.set(digest, textOfVector(answer[index]!));
  }
  return vectors;
}

async function groupsByMeaning(
  things: readonly FailingTurn[][],
  { vectors, baseline, similarity }: { vectors: ReadonlyMap<string, string>; baseline: number; similarity: number },
): Promise<FailingTurn[][]> {
  const meaning = createMeaning({ baseUrl: "", apiKey: undefined, model: "", similarity }, failures.length);
  const groups = await Promise.all(
    things.map(async (same, index) => {
      const byWording = Map.groupBy(same, wordingOfTurn);
      const known = wordsToCompare(byWording.keys());
      const wordingOfDigest = new Map([...known].map(([wording, { digest }]) => [digest, wording]));
      const texts = [...known.values()].map(({ digest }): [string, string] => [digest, vectors.get(digest)!]);
      const similarTo = await meaning.compare(String(index), baseline, new Map(texts), async () => new Map(texts));
      const sameAs = (wording: Wording) =>
        similarTo(known.get(wording)?.digest ?? "").map((digest) => wordingOfDigest.get(digest)!);
      return joinedByMeaning(componentsOf([...byWording.keys()]), sameAs).map((parts) =>
        parts.flat().flatMap((wording) => byWording.get(wording)!),
      );
    }),
  );
  return groups.flat();
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
function scoreOf(all: readonly FailingTurn[][]): {
  purity: number;
  completeness: number;
  causes: number;
  groups: number;
} {
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
  return {
    purity: pure / all.flat().length,
    completeness: weighted / weight,
    causes: repeated.length,
    groups: all.length,
  };
}
if (embeddings !== undefined) await compareByMeaning(embeddings, model);
