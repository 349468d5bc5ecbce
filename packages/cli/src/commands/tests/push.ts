import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { counted, paint } from "../../output.ts";
import { Refusal } from "../../refusal.ts";
import type { Fault } from "../../test-files/folder.ts";
import type { Step } from "../../test-files/plan-push.ts";

type Pushed = {
  path: string;
  kind: Step["kind"];
  name: string;
  id: string | null;
  version_id: string | null;
  changes: string[];
};

const CREATED = ["a new test"];

export default command({
  description:
    "Creates and edits the tests that a folder holds, all or none: when a file is no test, or someone edited a test since it was pulled, nothing is written. Ids of new tests and versions are written into the files. Tests that the folder does not hold stay as they are.",
  examples: ["<%= config.bin %> tests push tests/ --suite Booking", "<%= config.bin %> tests push tests/ --dry-run"],
  args: { folder: argument("Folder with a Markdown file for each test.") },
  flags: {
    suite: Flags.string({ description: 'Suite of new tests, by id or name; default "Default".' }),
    "dry-run": Flags.boolean({ description: "Check everything and show what would change; write nothing." }),
  },
  async run({ args, connect, flags }) {
    const { readTests, writeText } = await import("../../test-files/folder.ts");
    const { contentFaults } = await import("../../test-files/check-content.ts");
    const { knownTests } = await import("../../test-files/known-tests.ts");
    const { planPush } = await import("../../test-files/plan-push.ts");
    const { withIds } = await import("../../test-files/test-file.ts");
    const { held, faults } = await readTests(args.folder);
    refuseAll([...faults, ...contentFaults(held)], "files are no tests");

    const connection = await connect();
    const steps = planPush(held, await knownTests(connection, undefined));
    refuseAll(
      steps.flatMap((step) => (step.kind === "conflict" ? [{ path: step.path, fault: step.why }] : [])),
      "tests cannot be written",
    );
    const { client, project } = connection;
    const writing = steps.filter(({ kind }) => kind === "create" || kind === "edit");
    const dry_run = flags["dry-run"] === true;
    const tests = writing.map(({ test: { id, version_id, ...content } }) => ({
      ...content,
      ...(id !== undefined && { id, expected_version_id: version_id }),
    }));
    const written =
      tests.length === 0 ? [] : (await client.tests.import({ tests, suite: flags.suite, dry_run, project })).tests;
    const idsOf = new Map(writing.map((step, index) => [step.path, written[index]!]));
    const pushed: Pushed[] = [];
    for (const step of steps) {
      const { id, version_id } = step.kind === "unchanged" ? step.known : idsOf.get(step.path)!;
      const isStale = step.test.id !== id || step.test.version_id !== version_id;
      if (!dry_run && isStale) await writeText(step.path, withIds(step.text, { id: id!, version_id: version_id! }));
      const changes = step.kind === "edit" ? step.changes : step.kind === "create" ? CREATED : [];
      pushed.push({ path: step.path, kind: step.kind, name: step.test.name, id, version_id, changes });
    }
    return { dryRun: dry_run, tests: pushed };
  },
  show({ dryRun, tests }) {
    const changed = tests.filter(({ kind }) => kind !== "unchanged");
    const told = changed.map(({ path, name, changes }) =>
      [`${paint.bold(name)}  ${paint.dim(path)}`, ...changes.map((line) => `  ${colored(line)}`)].join("\n"),
    );
    const count = (kind: Step["kind"]) => tests.filter((test) => test.kind === kind).length;
    const sum = `${counted(count("create"), "test")} ${dryRun ? "would be " : ""}created, ${count("edit")} edited, ${count("unchanged")} unchanged.`;
    return [...told, sum].join("\n\n");
  },
});

const colored = (line: string) =>
  /^ +- /.test(line) ? paint.red(line) : /^ +\+ /.test(line) ? paint.green(line) : line;

function refuseAll(faults: readonly Fault[], what: string): void {
  if (faults.length === 0) return;
  const lines = faults.map(({ path, fault }) => `  ${path}: ${fault}`);
  throw new Refusal("not_pushed", `Nothing was written, because ${what}:\n${lines.join("\n")}`, 1, { files: faults });
}
