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
import { InvalidFile, readTestFile, testDocumentOf, writeTestFile } from "./test-file.ts";

type Test = Answer<Operations["tests"]["edit"]>;

/**
 * Opens the test as a Markdown file in the person's editor, shows the changes and sends them after a confirmation. Refuses a
 * file that is no test; the file stays then, so that no words are lost.
 */
export async function editInEditor(
  { note, confirm, progress }: Pick<AnyInvocation, "note" | "confirm" | "progress">,
  { client, projectId: project }: Session,
  testId: string,
): Promise<Test & { changes: string[] }> {
  const test = await client.tests.get({ testId, project });
  const before = testDocumentOf(test);
  const { id: _id, version_id: expected_version_id, ...content } = before;
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
    const edited = await client.tests.edit({ testId, expected_version_id: expected_version_id!, project, ...changes });
    await rm(folder, { recursive: true });
    return { ...edited, changes: changesBetween(content, after) };
  } catch (error) {
    note(kept);
    throw explainConflict(error, "test", testId);
  }
}

function readEdited(text: string, kept: string) {
  try {
    return readTestFile(text);
  } catch (error) {
    if (!(error instanceof InvalidFile)) throw error;
    throw new Refusal("unprocessable", `The edited test ${error.message}. Nothing was changed. ${kept}`);
  }
}

/** Runs the editor until it ends; refuses when it cannot start or fails. */
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
