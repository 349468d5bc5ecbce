import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted, paint } from "../../terminal/output.ts";
import { judgeRemedy, readingsText } from "../../authoring/reading-text.ts";
import { EXIT } from "../../refusal.ts";
import type { FileProblem } from "../../test-files/folder.ts";
import type { ServiceCheck } from "../../test-files/dry-run.ts";

const lineOf = ({ path, line, fault }: FileProblem) => `${path}:${line}: ${fault}`;

export default command({
  summary: "Check tests in files",
  description:
    "Finds what `svc tests push` would refuse, each with its file and line. The program checks the form of the files by itself. If a service answers, it also checks personas, conditions and behaviors, and shows how it reads each behavior. The exit code is 1 when a file is not a valid test. Two kinds of files only cause a notice: a file whose test somebody edited in the service, and a file whose agent the service does not have.",
  examples: [
    "<%= config.bin %> tests validate tests/",
    "<%= config.bin %> tests validate tests/books-a-room.md",
    "<%= config.bin %> tests validate tests/ --offline",
  ],
  args: {
    path: argument("One Markdown file, or a folder, which stands for all Markdown files in it and its subfolders."),
  },
  flags: { offline: Flags.boolean({ description: "Check the files without a service." }) },
  async run({ args, flags, startSession, note }) {
    const { readTests, skippedText } = await import("../../test-files/folder.ts");
    const { contentProblems } = await import("../../test-files/check-content.ts");
    const { checkAtService } = await import("../../test-files/dry-run.ts");
    const { folder, files, problems, skipped } = await readTests(args.path);
    if (skipped.length > 0) note(`Skipped: ${skippedText(skipped)}.`);
    const faults = [...problems, ...contentProblems(files)];
    const invalid = new Set(faults.map(({ path }) => path));
    const valid = files.filter(({ path }) => !invalid.has(path));
    const checked: ServiceCheck = flags.offline
      ? { files: null, reason: null, problems: [], conflicts: [], withoutAgent: [] }
      : await checkAtService({ folder, files: valid }, () => startSession({ retries: 0 }));
    if (checked.reason !== null)
      note(
        `Only the rules of this program were checked, and not personas, conditions and behaviors, which a service reads. ${checked.reason}`,
      );
    for (const problem of checked.withoutAgent) note(lineOf(problem));
    faults.push(...checked.problems);
    const byPlace = (a: FileProblem, b: FileProblem) =>
      a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
    return {
      tests: files.length + problems.filter(({ path }) => !files.some((file) => file.path === path)).length,
      faults: faults.sort(byPlace),
      conflicts: checked.conflicts.sort(byPlace),
      skipped,
      agents: [...new Set(files.flatMap(({ test }) => test.agent ?? []))],
      files: checked.files,
    };
  },
  show({ tests, faults, conflicts, files }) {
    const texts = (files ?? []).map(
      ({ path, name, readings }) => `${paint.bold(name)}  ${paint.dim(path)}\n${readingsText(readings)}`,
    );
    const edited = conflicts.length === 0 ? [] : [`A push would refuse:\n${conflicts.map(lineOf).join("\n")}`];
    const wrong = new Set(faults.map(({ path }) => path)).size;
    const verdict =
      faults.length > 0
        ? `${faults.map(lineOf).join("\n")}\n\n${wrong} of ${counted(tests, "file")} ${wrong === 1 ? "is" : "are"} not valid.`
        : `${counted(tests, "test")}, all valid.`;
    const remedy = judgeRemedy((files ?? []).flatMap(({ readings }) => readings));
    return [...texts, ...(remedy === undefined ? [] : [remedy]), ...edited, verdict].join("\n\n");
  },
  exitCode: ({ faults }) => (faults.length > 0 ? EXIT.refused : EXIT.done),
});
