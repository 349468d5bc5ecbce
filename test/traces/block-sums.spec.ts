import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkBlocks, openBlockSums } from "../../packages/server/src/traces/store/duckdb/block-sums.ts";
import { databaseFile } from "../../packages/server/src/traces/store/duckdb/database-file.ts";

const HEADER_BYTES = 4096;
const BLOCK_BYTES = 256 * 1024;
/** Offset of the second of DuckDB's two headers, which checkpoints write alternately. */
const SECOND = 2 * HEADER_BYTES;

let dataDir: string;
beforeAll(() => void (dataDir = mkdtempSync(join(tmpdir(), "svc-sums-"))));
afterAll(() => rmSync(dataDir, { recursive: true }));

function write(position: number, words: readonly number[]): void {
  const bytes = Buffer.alloc(8 * words.length);
  for (const [at, word] of words.entries()) bytes.writeBigUInt64LE(BigInt(word), 8 * at);
  const file = openSync(databaseFile(dataDir), "r+");
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

const check = () => [...checkBlocks(dataDir)].length;

test("a header whose numbers change places, which leaves DuckDB's sum as it is, is not taken for damage", () => {
  writeFileSync(databaseFile(dataDir), Buffer.alloc(3 * HEADER_BYTES + BLOCK_BYTES));
  for (let block = 0; block <= 3; block++) write(block * HEADER_BYTES, [block + 1]);
  // The header's checksum, the number of the checkpoint and the number of blocks.
  write(SECOND, [99, 12, 14]);
  const sums = openBlockSums(dataDir);
  expect(sums.add(1_000)).toBe(true);
  expect(check()).toBe(4);
  write(SECOND, [99, 14, 12]);
  expect(sums.add(1_000)).toBe(true);
  expect(check()).toBe(4);
  sums.close();

  write(SECOND, [99, 14, 13]);
  expect(check).toThrow(/its 4096 bytes from 8192 differ from their sum/);
  write(SECOND, [99, 14, 12]);
  write(3 * HEADER_BYTES + 800, [7]);
  expect(check).toThrow(/its 262144 bytes from 12288 differ from their sum/);
});
