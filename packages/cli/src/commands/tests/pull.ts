import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { argument } from "../../flags.ts";
import { counted } from "../../terminal/output.ts";
import { Refusal } from "../../refusal.ts";

export default command({
  summary: "Write tests to files",
  description:
    "Writes a Markdown file for each test into a folder that you can keep in the agent's repository. A file that you edited stays unchanged. When the test was edited in the service too, the command writes nothing. --force replaces edited files.",
  examples: ["<%= config.bin %> tests pull tests/", "<%= config.bin %> tests pull tests/ --suite Booking"],
  args: { folder: argument("Folder for the files. The command creates it if it does not exist.") },
  flags: {
    suite: Flags.string({ description: "Only tests of this suite, by its id or exact name." }),
    force: Flags.boolean({ description: "Replace edited files." }),
  },
  async run({ args, startSession, flags }) {
    const { createFolder, readFolder, writeText } = await import("../../test-files/folder.ts");
    const { readStoredTests } = await import("../../test-files/stored-tests.ts");
    const { planPull } = await import("../../test-files/plan-pull.ts");
    const session = await startSession();
    const { client, projectId: project } = session;
    const tests = await readStoredTests(session, flags.suite);
    await createFolder(args.folder);
    const steps = await planPull(args.folder, await readFolder(args.folder), tests, {
      replacesEdited: flags.force === true,
      readVersion: (versionId) => client.tests.version({ versionId, project }),
    });
    const conflicts = steps.filter(({ kind }) => kind === "conflict");
    if (conflicts.length > 0) {
      const lines = conflicts.map(({ path }) => `  ${path}: was edited here and in the service`);
      const advice = "Replace the files with --force, or set their version_id to the current version and push them.";
      throw new Refusal("not_pulled", `Nothing was written:\n${lines.join("\n")}\n${advice}`);
    }
    for (const { path, kind, text } of steps) if (kind === "new" || kind === "updated") await writeText(path, text);
    return { tests: steps.map(({ path, kind, name }) => ({ path, kind, name })) };
  },
  show({ tests }) {
    const lines = tests
      .filter(({ kind }) => kind !== "unchanged")
      .map(({ path, kind }) => `${kind.padEnd(11)}  ${path}`);
    const unchanged = tests.filter(({ kind }) => kind === "unchanged").length;
    if (tests.length === 0)
      return 'No tests. To create one: svc tests create --name "Books a slot" --scenario "…" --behavior "…"';
    return [...lines, `${counted(tests.length, "test")}, ${unchanged} unchanged.`].join("\n");
  },
});
