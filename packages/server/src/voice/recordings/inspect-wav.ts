import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { readWavLayout } from "../audio/wav-layout.ts";
import { collectPeaks, durationMsOf, type Peaks } from "./waveform.ts";

type InspectedWav = { bytes: number; sha256: string; durationMs: number; peaks: Peaks };

const HEAD_BYTES = 4_096;
/** Size of the slices in which a file is read. A slice takes about a millisecond, and other work runs between slices. */
const SLICE_BYTES = 256 * 1_024;

/** Reads the facts about a recording from its file. Throws a `WavError` for a file without 16-bit PCM. */
export async function inspectWav(path: string): Promise<InspectedWav> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
    await file.read(head, 0, head.length, 0);
    const layout = readWavLayout(head, size);
    const { dataStart, dataBytes } = layout;
    const { add, peaks } = collectPeaks(layout);
    const hash = createHash("sha256").update(head.subarray(0, dataStart));
    const slice = Buffer.from(new ArrayBuffer(SLICE_BYTES));
    const dataEnd = dataStart + dataBytes;
    for (let at = dataStart; at < size;) {
      const end = at < dataEnd ? dataEnd : size;
      const length = await readWhole(file, slice, Math.min(SLICE_BYTES, end - at), at);
      hash.update(slice.subarray(0, length));
      if (at < dataEnd) add(new Int16Array(slice.buffer, 0, length / 2));
      at += length;
    }
    return { bytes: size, sha256: hash.digest("hex"), durationMs: durationMsOf(layout), peaks };
  } finally {
    await file.close();
  }
}

async function readWhole(file: Awaited<ReturnType<typeof open>>, into: Buffer, length: number, at: number) {
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(into, done, length - done, at + done);
    if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
    done += bytesRead;
  }
  return length;
}
