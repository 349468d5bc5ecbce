import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { folderProblem, prepareDataFolder } from "../packages/server/src/stores/folder/folder-access.ts";

const MODULE = join(import.meta.dirname, "../packages/server/src/stores/folder/folder-access.ts");
const NOBODY = 65_534;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-access-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the data folder of a start", () => {
  test("a missing folder is created with its parents, for this user alone", () => {
    const path = join(folder, "a/b");
    expect(folderProblem(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    prepareDataFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    prepareDataFolder(path);
  });

  test("a file in its place, or above it, is named", () => {
    writeFileSync(join(folder, "file"), "");
    for (const path of ["file", "file/below/it"])
      expect(() => prepareDataFolder(join(folder, path))).toThrow(
        `${join(folder, "file")} is a file. Remove it, or name`,
      );
  });

  test.skipIf(process.platform !== "linux")("a place where nothing can be created is refused at once", () => {
    expect(() => prepareDataFolder("/proc/x/y")).toThrow(
      /\/proc\/x cannot be created \(\w+\)\. Create it .* or name another folder with --data-dir or SVC_DATA_DIR/,
    );
  });

  test("what this user may not write is named with the way to give it to the user", (context) => {
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) return context.skip("only root can become another user");
    for (const name of ["owned", "mixed"]) mkdirSync(join(folder, name), { mode: 0o755 });
    writeFileSync(join(folder, "mixed/relational.db"), "");
    copyFileSync(MODULE, join(folder, "module.ts"));
    spawnSync("chown", ["nobody", folder, join(folder, "mixed")]);
    const program = `import { folderProblem } from "./module.ts";
      console.log(JSON.stringify(["owned", "owned/new", "mixed", "mixed/new"].map((name) => folderProblem(name) ?? null)));`;
    writeFileSync(join(folder, "main.ts"), program);
    const { stdout, stderr, error } = spawnSync(process.execPath, ["main.ts"], {
      cwd: folder,
      uid: NOBODY,
      encoding: "utf8",
    });
    if (error) return context.skip(`another user cannot run ${process.execPath}`);
    expect(stderr).not.toContain("Error");
    const owned = join(folder, "owned");
    expect(JSON.parse(stdout)).toEqual([
      {
        finding: `this user may not read and write ${owned}`,
        remedy: expect.stringContaining(`\`chown -R ${NOBODY} ${owned}\``),
      },
      { finding: expect.stringContaining(`${owned}/new cannot be created`), remedy: expect.stringContaining("chown") },
      {
        finding: expect.stringContaining("mixed/relational.db"),
        remedy: expect.stringContaining("Run the service as"),
      },
      null,
    ]);
  });
});
