import { Flags } from "@oclif/core";
import type { ApiBehaviorReading } from "@svc/contract";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted, paint } from "../../terminal/output.ts";
import { judgeRemedy, readingsText } from "../../authoring/reading-text.ts";
import { EXIT, isSvcError, Refusal } from "../../refusal.ts";
import { changesText } from "../../test-files/changes-text.ts";
import type { FileProblem } from "../../test-files/folder.ts";
import type { PushStep } from "../../test-files/plan-push.ts";

type PushedTest = {
  path: string;
  kind: PushStep["kind"];
  name: string;
  id: string | null;
  version_id: string | null;
  changes: string[];
  readings: ApiBehaviorReading[];
};

export default command({
  summary: "Create and edit tests from files",
  description:
    "Creates and edits all tests of a folder, or none: when a file is not a valid test, or someone edited a test after the last pull, the command changes nothing. Writes the ids of new tests and versions into the files. Tests without a file stay unchanged.",
  examples: ["<%= config.bin %> tests push tests/ --suite Booking", "<%= config.bin %> tests push tests/ --dry-run"],
  args: { folder: argument("Folder with a Markdown file for each test.") },
  flags: {
    suite: Flags.string({ description: 'Id or exact name of the suite for new tests. Default: the suite "Default".' }),
    "dry-run": Flags.boolean({ description: "Check all files and show the changes, and write nothing." }),
  },
  async run({ args, startSession, flags }) {
    const { readTests, writeText } = await import("../../test-files/folder.ts");
    const { contentProblems } = await import("../../test-files/check-content.ts");
    const { readStoredTests } = await import("../../test-files/stored-tests.ts");
    const { planPush } = await import("../../test-files/plan-push.ts");
    const { withIds } = await import("../../test-files/test-file.ts");
    const { files, problems } = await readTests(args.folder);
    refuseProblems([...problems, ...contentProblems(files)], "files are not valid tests");

    const session = await startSession();
    const steps = planPush(files, await readStoredTests(session, undefined));
    const conflicts = steps.flatMap(({ path, ...step }) =>
      step.kind === "conflict" ? [{ path, fault: step.why }] : [],
    );
    refuseProblems(conflicts, "tests cannot be written");
    const { client, projectId: project } = session;
    const changed = steps.filter(({ kind }) => kind === "create" || kind === "edit");
    const dry_run = flags["dry-run"] === true;
    const tests = changed.map(({ test: { id, version_id, ...content } }) => ({
      ...content,
      ...(id !== undefined && { id, expected_version_id: version_id }),
    }));
    const importAll = () => client.tests.import({ tests, suite: flags.suite, dry_run, project });
    const answers = tests.length === 0 ? [] : (await importAll().catch(refuseBroken(changed))).tests;
    const answerOf = new Map(changed.map((step, index) => [step.path, answers[index]!]));
    const pushed: PushedTest[] = [];
    for (const step of steps) {
      const { id, version_id, readings } = step.kind === "unchanged" ? step.stored : answerOf.get(step.path)!;
      const hasOtherIds = step.test.id !== id || step.test.version_id !== version_id;
      if (!dry_run && hasOtherIds) await writeText(step.path, withIds(step.text, { id: id!, version_id: version_id! }));
      const changes = step.kind === "edit" ? step.changes : step.kind === "create" ? ["a new test"] : [];
      pushed.push({ path: step.path, kind: step.kind, name: step.test.name, id, version_id, changes, readings });
    }
    return { dryRun: dry_run, tests: pushed };
  },
  show({ dryRun, tests }) {
    const written = tests.filter(({ kind }) => kind !== "unchanged");
    const texts = written.map(({ path, name, changes, readings }) =>
      [
        `${paint.bold(name)}  ${paint.dim(path)}`,
        ...(changes.length > 0 ? [changesText(changes).replaceAll(/^/gm, "  ")] : []),
        "  readings:",
        readingsText(readings, 4).replaceAll(/^/gm, "    "),
      ].join("\n"),
    );
    const count = (kind: PushStep["kind"]) => tests.filter((test) => test.kind === kind).length;
    const created = `${counted(count("create"), "test")} ${dryRun ? "would be " : ""}created`;
    const remedy = judgeRemedy(written.flatMap(({ readings }) => readings));
    return [
      ...texts,
      ...(remedy === undefined ? [] : [remedy]),
      `${created}, ${count("edit")} edited, ${count("unchanged")} unchanged.`,
    ].join("\n\n");
  },
});

function refuseProblems(problems: readonly FileProblem[], why: string): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ path, fault }) => `  ${path}: ${fault}`);
  throw new Refusal("not_pushed", `Nothing was written, because ${why}:\n${lines.join("\n")}`, EXIT.refused, {
    files: problems,
  });
}

/** Returns a function that names the files of behaviors that the service cannot read, and throws any other error again. */
const refuseBroken = (changed: readonly PushStep[]) => (error: unknown) => {
  const issues = isSvcError(error) && Array.isArray(error.details.issues) ? error.details.issues : [];
  const problems = issues.flatMap(({ path, message }: { path: string; message: string }) => {
    const [, index, member] = /^tests\.(\d+)\.(.+)$/.exec(path) ?? [];
    return member === undefined ? [] : [{ path: changed[Number(index)]!.path, fault: `${member}: ${message}` }];
  });
  refuseProblems(problems, "tests cannot be written");
  throw error;
};
