import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isCommand, loadCommand } from "../../packages/cli/src/commands.ts";
import { SKILLS } from "../../packages/cli/src/skills/skills.ts";
import { openHome } from "../support/cli.ts";

const home = openHome();
afterAll(() => home.remove());

test("skills are written once, and again only with --force", async () => {
  const folder = join(home.folder, "skills");
  const first = await home.json<{ written: string[]; kept: string[] }>(["skills", "install", folder]);
  expect([first.written.length, first.kept]).toEqual([3, []]);
  const [path] = first.written as [string];
  expect(readFileSync(path, "utf8")).toMatch(/^---\nname: test-voice-agent\ndescription: .{60,}\n---\n/);
  writeFileSync(path, "mine");
  const second = await home.svc(["skills", "install", folder]);
  expect(second.stdout).toContain(`Left as it is: ${path}. Set --force to replace it.`);
  expect(readFileSync(path, "utf8")).toBe("mine");
  await home.svc(["skills", "install", folder, "--force"]);
  expect(readFileSync(path, "utf8")).toBe(SKILLS["test-voice-agent"]);
});

test("a folder that cannot be written is refused with what to do", async () => {
  const file = join(home.folder, "file");
  writeFileSync(file, "");
  const { exitCode, stderr } = await home.svc(["skills", "install", file]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Choose another folder.")]);
});

/** The command lines in backticks, such as `svc runs start --suite Booking`. */
const LINES = Object.values(SKILLS).flatMap((text) => [...text.matchAll(/`svc ([^`]+)`/g)].map(([, line]) => line!));

test.each([...new Set(LINES)])("the command of a skill exists with its flags: svc %s", async (line) => {
  const [first, second] = line.split(/\s+/) as [string, string | undefined];
  const id = second !== undefined && isCommand(`${first}:${second}`) ? `${first}:${second}` : first;
  expect(isCommand(id), id).toBe(true);
  const { flags } = await loadCommand(id);
  for (const [, flag] of line.matchAll(/--([a-z-]+)/g)) expect(Object.keys(flags), line).toContain(flag);
});
