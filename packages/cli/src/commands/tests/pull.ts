import { join, basename } from "node:path";
import { mkdir } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { counted } from "../../output.ts";
import { Refusal, usage } from "../../refusal.ts";
import type { Held } from "../../test-files/folder.ts";

type Pulled = { path: string; kind: "new" | "updated" | "unchanged" | "edited here"; name: string };

export default command({
  description:
    "Writes a Markdown file for each test into a folder, which a repository keeps beside the agent. A file that was edited here stays as it is; when the test was edited there too, nothing is written. --force takes what is there.",
  examples: ["<%= config.bin %> tests pull tests/", "<%= config.bin %> tests pull tests/ --suite Booking"],
  args: { folder: argument("Folder; made when it is not there.") },
  flags: {
    suite: Flags.string({ description: "Only this suite's tests, by id or exact name." }),
    force: Flags.boolean({ description: "Replace files that were edited here." }),
  },
  async run({ args, connect, flags }) {
    const { fileNameOf, readFolder, writeText } = await import("../../test-files/folder.ts");
    const { isSameContent } = await import("../../test-files/content-changes.ts");
    const { knownTests } = await import("../../test-files/known-tests.ts");
    const { writeTestFile } = await import("../../test-files/test-file.ts");
    const connection = await connect();
    const known = await knownTests(connection, flags.suite);
    await mkdir(args.folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      throw usage(`${args.folder} cannot be made (${error.code}): name a folder of yours.`);
    });
    const { held, faults } = await readFolder(args.folder);
    const byId = new Map(held.flatMap((file) => (file.test.id === undefined ? [] : [[file.test.id, file] as const])));
    const taken = new Set([...held, ...faults].map(({ path }) => basename(path).toLowerCase()));

    const conflicts: string[] = [];
    const pulled: (Pulled & { text: string })[] = [];
    for (const test of known) {
      const file = byId.get(test.id);
      const text = writeTestFile(test);
      if (!file) {
        const name = fileNameOf(test.name, taken);
        taken.add(name);
        pulled.push({ path: join(args.folder, name), kind: "new", name: test.name, text });
        continue;
      }
      const { path } = file;
      const isSame = isSameContent(file.test, test);
      const isCurrent = file.test.version_id === test.version_id;
      if (isSame && isCurrent) pulled.push({ path, kind: "unchanged", name: test.name, text });
      else if (isSame || flags.force || !(await isEdited(file)))
        pulled.push({ path, kind: "updated", name: test.name, text });
      else if (isCurrent) pulled.push({ path, kind: "edited here", name: test.name, text });
      else conflicts.push(`  ${path}: was edited here and there`);
    }
    if (conflicts.length > 0) {
      const mend = "Take one side: --force replaces the files, or set version_id to the current one and push.";
      throw new Refusal("not_pulled", `Nothing was written:\n${conflicts.join("\n")}\n${mend}`);
    }
    for (const { path, kind, text } of pulled) if (kind === "new" || kind === "updated") await writeText(path, text);
    return { tests: pulled.map(({ path, kind, name }): Pulled => ({ path, kind, name })) };

    /** Whether the file's content is another than that of the version that it names. */
    async function isEdited({ test }: Held): Promise<boolean> {
      const { client, project } = connection;
      const version = await client.tests.version({ versionId: test.version_id!, project });
      return !isSameContent(test, { ...version, name: test.name });
    }
  },
  show({ tests }) {
    const lines = tests
      .filter(({ kind }) => kind !== "unchanged")
      .map(({ path, kind }) => `${kind.padEnd(11)}  ${path}`);
    const unchanged = tests.filter(({ kind }) => kind === "unchanged").length;
    if (tests.length === 0)
      return 'No tests. Create one: svc tests create --name "Books a slot" --scenario "…" --behavior "…"';
    return [...lines, `${counted(tests.length, "test")}, ${unchanged} unchanged.`].join("\n");
  },
});
