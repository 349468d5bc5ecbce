import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, Operations } from "@svc/contract";
import type { AnyInvocation } from "../command.ts";
import { EXIT, Refusal } from "../refusal.ts";
import type { Session } from "../session/session.ts";
import { explainConflict } from "../authoring/stale-edit.ts";
import { changesText } from "./changes-text.ts";
import { changesBetween, isSameContent } from "./content-changes.ts";
import { InvalidFile, lineOf, readTestFile, testDocumentOf, writeTestFile } from "./test-file.ts";

type Test = Answer<Operations["tests"]["edit"]>;

/** When the edit fails, the file is not deleted and the message contains its path, so that no work is lost. */
export async function editInEditor(
  { note, confirm, progress }: Pick<AnyInvocation, "note" | "confirm" | "progress">,
  { client, projectId: project }: Session,
  testId: string,
): Promise<Test & { changes: string[] }> {
  const test = await client.tests.get({ testId, project });
  const content = testDocumentOf(test);
  const folder = await mkdtemp(join(tmpdir(), "svc-test-"));
  const path = join(folder, "test.md");
  await writeFile(path, writeTestFile(content), { mode: 0o600 });
  progress.clear();
  await openEditor(path);
  const kept = `Your text is in ${path}.`;
  const after = readEdited(await readFile(path, "utf8"), kept);
  if (isSameContent(content, after)) {
    await rm(folder, { recursive: true });
    return { ...test, changes: [] };
  }
  note(`${changesText(changesBetween(content, after))}\n`);
  await confirm(`Change the test "${test.name}"?`).catch((error: unknown) => {
    note(kept);
    throw error;
  });
  const { name, scenario, expected_behaviors, personas, mock_tools } = after;
  const changes = { name, scenario, expected_behaviors, personas, mock_tools };
  try {
    const edited = await client.tests.edit({ testId, expected_version_id: test.version_id, project, ...changes });
    await rm(folder, { recursive: true });
    return { ...edited, changes: changesBetween(content, after) };
  } catch (error) {
    note(kept);
    throw explainConflict(error, "test", testId);
  }
}

/** Members of test files that an edit in the editor cannot change. */
const NOT_EDITED = ["suite", "tags", "agent", "iterations", "require"] as const;

function readEdited(text: string, kept: string) {
  try {
    const edited = readTestFile(text);
    const other = NOT_EDITED.find((member) => member in edited);
    if (other === undefined) return edited;
    const message = `has \`${other}\`, which an edit does not change: remove it (\`svc tests tag\` sets tags, and \`svc tests push\` reads files)`;
    throw new InvalidFile(message, lineOf(text, [other]));
  } catch (error) {
    if (!(error instanceof InvalidFile)) throw error;
    const { line, message } = error;
    throw new Refusal("unprocessable", `The edited test ${message} (line ${line}). Nothing was changed. ${kept}`);
  }
}

async function openEditor(path: string): Promise<void> {
  const { VISUAL, EDITOR } = process.env;
  const isWindows = process.platform === "win32";
  const editor = VISUAL || EDITOR || (isWindows ? "notepad" : "vi");
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: "inherit" })
    : spawn("/bin/sh", ["-c", `${editor} "$1"`, editor, path], { stdio: "inherit" });
  const exitCode = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("exit", resolve));
  if (exitCode !== 0) {
    const message = `The editor "${editor}" ended with exit code ${exitCode}. Set $EDITOR to your editor. Nothing was changed.`;
    throw new Refusal("editor_failed", message, EXIT.refused);
  }
}
