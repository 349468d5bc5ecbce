import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted, paint } from "../../terminal/output.ts";
import { judgeRemedy, readingsText } from "../../authoring/reading-text.ts";
import { changesText } from "../../test-files/changes-text.ts";
import type { PushedTest } from "../../test-files/push-files.ts";

export default command({
  summary: "Create and edit tests from files",
  description:
    "Creates and edits the tests of all files, or none: when a file is not a valid test, or someone edited a test after the last pull, the command changes nothing. A file belongs to the test of the same name; `.svc/tests.json` in the root of the repository helps to find a renamed test. Suites that the files name are created. Tests without a file stay unchanged.",
  examples: [
    "<%= config.bin %> tests push tests/ --suite Booking",
    "<%= config.bin %> tests push tests/books-a-room.md",
    "<%= config.bin %> tests push tests/ --dry-run",
  ],
  args: {
    path: argument("One Markdown file, or a folder, which stands for all Markdown files in it and its subfolders."),
  },
  flags: {
    suite: Flags.string({
      description:
        'Id or name of the suite for new tests whose file names none. It is created if it does not exist. Default: the suite "Default".',
    }),
    force: Flags.boolean({ description: "Replace tests that were edited in the service." }),
    record: Flags.boolean({
      description:
        "Write `.svc/tests.json`. With --no-record, the command does not change the folder, as CI jobs need it.",
      allowNo: true,
      default: true,
    }),
    "dry-run": Flags.boolean({ description: "Check all files and show the changes, and write nothing." }),
  },
  async run({ args, startSession, flags, note }): Promise<{ dryRun: boolean; tests: PushedTest[] }> {
    const { readTests, skippedText } = await import("../../test-files/folder.ts");
    const { pushFiles } = await import("../../test-files/push-files.ts");
    const content = await readTests(args.path);
    if (content.skipped.length > 0) note(`Skipped: ${skippedText(content.skipped)}.`);
    const dryRun = flags["dry-run"] === true;
    const options = {
      suite: flags.suite,
      replacesEdited: flags.force === true,
      isDryRun: dryRun,
      records: flags.record === true,
    };
    return { dryRun, tests: await pushFiles(await startSession(), content, options) };
  },
  show({ dryRun, tests }) {
    const written = tests.filter(({ kind }) => kind !== "unchanged");
    const texts = written.map(({ path, name, changes, note, readings }) =>
      [
        `${paint.bold(name)}  ${paint.dim(path)}`,
        ...(note === null ? [] : [`  ${paint.yellow(`Created by its name: ${note}.`)}`]),
        ...(changes.length > 0 ? [changesText(changes).replaceAll(/^/gm, "  ")] : []),
        "  readings:",
        readingsText(readings, 4).replaceAll(/^/gm, "    "),
      ].join("\n"),
    );
    const count = (kind: PushedTest["kind"]) => tests.filter((test) => test.kind === kind).length;
    const created = `${counted(count("create"), "test")} ${dryRun ? "would be " : ""}created`;
    const remedy = judgeRemedy(written.flatMap(({ readings }) => readings));
    return [
      ...texts,
      ...(remedy === undefined ? [] : [remedy]),
      `${created}, ${count("edit")} edited, ${count("unchanged")} unchanged.`,
    ].join("\n\n");
  },
});
