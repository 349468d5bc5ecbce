import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTestFile } from "../../packages/cli/src/test-files/test-file.ts";
import { commandsOf, type DocumentWorld, openDocumentWorld } from "../support/document-world.ts";
import { SHARES_TRACES } from "../support/engine.ts";
import { type Block, blocksOf, documents } from "../support/documents.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The exit code of these commands is the verdict of a run, but 3 means that the service refused. */
const VERDICTS = new Set(["runs start", "runs watch"]);
/** The languages of blocks that show what a program prints or receives. `mentions.spec.ts` checks the generated examples. */
const SHOWN = new Set(["", "text", "console"]);
/** The languages of blocks that talk to the service. */
const PROGRAMS = new Set(["sh", "ts", "python"]);

const blocks = documents().flatMap(blocksOf);
const placeOf = ({ file, line }: Block) => `${file}:${line}`;
/** `svc backup` works only on a data folder. */
const isOfFolder = ({ file }: Block) => file === "docs/backup.md";
const isRun = (block: Block) =>
  block.mark === undefined && !SHOWN.has(block.language) && !(SHARES_TRACES && isOfFolder(block));
const hasPython = spawnSync("python3", ["--version"]).status === 0;

let world: DocumentWorld;
beforeAll(async () => {
  world = await openDocumentWorld();
});
afterAll(() => world?.close());

const RUNNERS: Record<string, (block: Block) => Promise<void> | void> = {
  async sh({ text }) {
    for (const { words, input } of commandsOf(text, world.folder)) {
      const [program, ...args] = words;
      const command = words.join(" ");
      if (program === "npm") throw new Error(`Mark the block of \`${command}\`: no spec of this file runs npm.`);
      const { exitCode, printed } = await world.svc({ words: args, input });
      const allowed = VERDICTS.has(args.slice(0, 2).join(" ")) ? [0, 1, 2] : [0];
      expect(allowed, `${command}\n${printed}`).toContain(exitCode);
    }
  },

  async ts({ text }) {
    const file = join(ROOT, "test/docs", `.snippet-${process.pid}.ts`);
    writeFileSync(file, world.program(text));
    try {
      await promisify(execFile)(process.execPath, ["--conditions=svc-source", file], { env: world.environment() });
    } finally {
      rmSync(file);
    }
  },

  async python({ text }) {
    if (!hasPython) return console.log("not run: this machine has no Python");
    const paths = { PYTHONPATH: join(ROOT, "packages/python/src"), PYTHONDONTWRITEBYTECODE: "1" };
    const env = { ...world.environment(), ...paths };
    await promisify(execFile)("python3", ["-c", world.program(text)], { env });
  },

  json: ({ text }) => void JSON.parse(text),
  markdown: ({ text }) => void readTestFile(text),
};

describe.each(documents().filter((file) => blocks.some((block) => block.file === file && isRun(block))))(
  "%s",
  (file) => {
    const run = blocks.filter((block) => block.file === file && isRun(block));
    beforeAll(async () => {
      if (run.some(({ language }) => PROGRAMS.has(language)))
        await world.begin(file, readFileSync(join(ROOT, file), "utf8"));
    });

    test.each(run.map((block) => ({ title: `${block.language} block in line ${block.line}`, block })))(
      "the $title works as it is written",
      async ({ block }) => {
        const runner = RUNNERS[block.language];
        if (!runner)
          throw new Error(`${placeOf(block)}: mark the block with <!-- not run: … --> or <!-- run by … -->.`);
        expect(await runner(block)).toBeUndefined();
      },
    );
  },
);

test("each block that another spec runs names an existing spec", () => {
  const elsewhere = blocks.flatMap(({ mark }) => (mark && "runBy" in mark ? [mark.runBy] : []));
  expect(elsewhere.length).toBeGreaterThan(5);
  expect(elsewhere.filter((spec) => !existsSync(join(ROOT, spec)))).toEqual([]);
});

test("each block that no spec runs has a reason, and the reasons are printed", () => {
  const unrun = blocks.flatMap((block) =>
    block.mark && "notRun" in block.mark ? [{ block, why: block.mark.notRun }] : [],
  );
  console.log(unrun.map(({ block, why }) => `not run: ${placeOf(block)}: ${why}`).join("\n"));
  expect(unrun.every(({ why }) => why.length > 10)).toBe(true);
});

test("the run of the README's ten minutes finds the one defect of its agent, and quotes it", async () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const tour = blocks.find(({ file, text }) => file === "README.md" && text.includes("runs start --test"))!;
  const before = readme.slice(0, readme.indexOf(tour.text));
  expect(before.split("\n").slice(-8).join("\n"), "how a terminal gets its keys").toContain("svc login`");
  await world.begin("ten minutes", readme);
  const printed: string[] = [];
  for (const { words, input } of commandsOf(tour.text, world.folder))
    printed.push((await world.svc({ words: words.slice(1), input })).printed);
  const run = printed.find((text) => text.includes("Pass rate"))!;
  expect(run).toMatch(/Result +5 failed\n/);
  expect(run).toMatch(/Behaviors +15 of 15 decided\n/);
  expect([...run.matchAll(/^ +failed in 5 of 5: (.+)$/gm)].map(([, behavior]) => behavior)).toEqual([
    "never says /card number/i",
  ]);
  expect(run).toMatch(/turn \d+: "card number"/);
});
