import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted } from "../../terminal/output.ts";
import { Refusal } from "../../refusal.ts";

export default command({
  summary: "Write tests to files",
  description:
    "Writes a Markdown file for each test into a folder that you can keep in the agent's repository. The files have no ids: `.svc/tests.json` in the root of the repository records the version of each file. A file that you edited stays unchanged. When the test was edited in the service too, the command writes nothing. --force replaces edited files.",
  examples: ["<%= config.bin %> tests pull tests/", "<%= config.bin %> tests pull tests/ --suite Booking"],
  args: {
    path: argument("Folder for the files, which the command creates if it does not exist, or one of its files."),
  },
  flags: {
    suite: Flags.string({ description: "Only tests of this suite, by its id or exact name." }),
    force: Flags.boolean({ description: "Replace edited files." }),
  },
  async run({ args, startSession, flags, note }) {
    const { createFolder, readFolder, skippedText, writeText } = await import("../../test-files/folder.ts");
    const { readStoredTests } = await import("../../test-files/stored-tests.ts");
    const { openFilesState } = await import("../../test-files/state-file.ts");
    const { planPull } = await import("../../test-files/plan-pull.ts");
    const session = await startSession();
    const { client, projectId: project } = session;
    const tests = await readStoredTests(session, flags.suite);
    const isFile = args.path.endsWith(".md");
    if (!isFile) await createFolder(args.path);
    const content = await readFolder(args.path);
    if (content.skipped.length > 0) note(`Skipped: ${skippedText(content.skipped)}.`);
    const state = await openFilesState(content.folder, session);
    const planned = await planPull(content, tests, {
      state,
      replacesEdited: flags.force === true,
      readVersion: (versionId) => client.tests.version({ versionId, project }),
      readVersions: async (testId) => (await client.tests.versions({ testId, project, limit: 200 })).items,
    });
    const steps = isFile ? planned.filter(({ path }) => path === args.path) : planned;
    if (isFile && steps.length === 0) {
      const advice = "`svc tests push` creates it, and `svc tests pull` with a folder writes the tests without a file.";
      throw new Refusal("not_found", `The service has no test of the file ${args.path}. ${advice}`);
    }
    const conflicts = steps.filter(({ kind }) => kind === "conflict");
    if (conflicts.length > 0) {
      const why = ({ path, stored }: (typeof steps)[number]) =>
        state.ofTest(stored.id) === undefined
          ? `  ${path}: differs from the test in the service, and nothing says which is newer`
          : `  ${path}: was edited here and in the service`;
      const advice = "Replace the files with --force, or replace the tests with `svc tests push --force`.";
      throw new Refusal("not_pulled", `Nothing was written:\n${conflicts.map(why).join("\n")}\n${advice}`);
    }
    for (const { path, kind, stored, text } of steps) {
      if (text !== undefined) await writeText(path, text);
      if (kind !== "edited here" && kind !== "invalid") state.record(path, stored);
    }
    await state.save();
    return { tests: steps.map(({ path, kind, stored }) => ({ path, kind, name: stored.name })) };
  },
  show({ tests }) {
    const lines = tests
      .filter(({ kind }) => kind !== "unchanged")
      .map(({ path, kind }) => `${kind.padEnd(11)}  ${path}${kind === "invalid" ? ": see `svc tests validate`" : ""}`);
    const unchanged = tests.filter(({ kind }) => kind === "unchanged").length;
    if (tests.length === 0)
      return 'No tests. To create one: svc tests create --name "Books a slot" --scenario "…" --behavior "…"';
    return [...lines, `${counted(tests.length, "test")}, ${unchanged} unchanged.`].join("\n");
  },
});
