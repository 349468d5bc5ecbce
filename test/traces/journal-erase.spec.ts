import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createJournalEraser } from "../../packages/server/src/traces/journal/erase.ts";
import { erasedHeaderOf, HEADER_BYTES, headerOf } from "../../packages/server/src/traces/journal/record.ts";
import { segmentPath } from "../../packages/server/src/traces/journal/segments.ts";

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "svc-erase-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test.each([true, false])(
  "an erasure that a crash stopped between the header and the body is finished by the next one (a part remains: %s)",
  (remains) => {
    const body = Buffer.from("erased words and kept words");
    const record = { lsn: 1, project: 1, receivedMs: 1, encoding: "json", compression: "identity" } as const;
    const header = headerOf({ ...record, chunks: [body] }, body.length);
    const path = segmentPath(dir, 1);
    writeFileSync(path, Buffer.concat([header, body]));
    const address = { segment: 1, position: 0 };
    const eraser = createJournalEraser(dir);
    eraser.reduce(address, () => (remains ? Buffer.from("kept words") : null));

    const crashed = erasedHeaderOf(header, { moved: remains, cleared: false });
    writeFileSync(path, Buffer.concat([crashed, body]));
    eraser.reduce(address, (rest) => rest.chunks[0]!);

    const after = readFileSync(path);
    expect(after.subarray(HEADER_BYTES)).toEqual(Buffer.alloc(body.length));
    eraser.reduce(address, (rest) => {
      expect(rest.chunks[0]!.toString()).toBe("kept words");
      return rest.chunks[0]!;
    });
  },
);
