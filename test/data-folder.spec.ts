import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort, startServiceProcess } from "./support/worker-service.ts";

test("files of the service are private to its user, even in a folder that others may read", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-folder-"));
  chmodSync(dataDir, 0o755);
  const service = await startServiceProcess(await freePort(), { SVC_DATA_DIR: dataDir });
  const kept = readdirSync(dataDir, { recursive: true }) as string[];
  await service.kill();
  expect(kept).toEqual(expect.arrayContaining(["auth-secret", "encryption-key"]));
  expect(kept.filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)).toEqual([]);
  rmSync(dataDir, { recursive: true });
});
