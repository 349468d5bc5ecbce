import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted, paint } from "../../terminal/output.ts";
import { judgeRemedy, readingsText } from "../../authoring/reading-text.ts";
import { EXIT } from "../../refusal.ts";

export default command({
  summary: "Check tests in files",
  description:
    "Checks the form of the files. When a service answers, the command also shows how it reads each expected behavior, and refuses a behavior that it cannot read. The exit code is 1 when a file is not a valid test.",
  examples: ["<%= config.bin %> tests validate tests/"],
  args: { folder: argument("Folder with a Markdown file for each test.") },
  async run({ args, startSession, note }) {
    const { readTests } = await import("../../test-files/folder.ts");
    const { contentProblems } = await import("../../test-files/check-content.ts");
    const { readBehaviors, readingProblems } = await import("../../test-files/read-behaviors.ts");
    const { files, problems } = await readTests(args.folder);
    const faults = [...problems, ...contentProblems(files)];
    const invalid = new Set(faults.map(({ path }) => path));
    const valid = files.filter(({ path }) => !invalid.has(path));
    const read = await readBehaviors(valid, () => startSession({ retries: 0 }));
    if (read.files === null)
      note(`Only the form of the files was checked, and not how behaviors are read. ${read.reason}`);
    faults.push(...readingProblems(read.files ?? []));
    return { tests: files.length, faults, files: read.files };
  },
  show({ tests, faults, files }) {
    const texts = (files ?? []).map(
      ({ path, name, readings }) => `${paint.bold(name)}  ${paint.dim(path)}\n${readingsText(readings)}`,
    );
    const verdict =
      faults.length > 0
        ? faults.map(({ path, fault }) => `${path}: ${fault}`).join("\n")
        : `${counted(tests, "test")}, all valid.`;
    const remedy = judgeRemedy((files ?? []).flatMap(({ readings }) => readings));
    return [...texts, ...(remedy === undefined ? [] : [remedy]), verdict].join("\n\n");
  },
  exitCode: ({ faults }) => (faults.length > 0 ? EXIT.refused : EXIT.done),
});
