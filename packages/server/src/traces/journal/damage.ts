import { setImmediate as nextTurn } from "node:timers/promises";
import type { Conditions } from "../../base/conditions.ts";
import type { Log } from "../../base/log/log.ts";
import type { RecordAddress } from "../span-batch.ts";
import { type DamagedStretch, readDamage, writeDamage } from "./damage-file.ts";
import type { LostStretch } from "./records.ts";
import { examineSegment, withRecordsBefore } from "./segment-damage.ts";
import { journalDir, segmentPath, segmentsIn } from "./segments.ts";

/** The known damage of the journal. It is reported as a condition of the service, and stored in a file for the next start. */
export type JournalDamage = {
  /** Adds bytes without a readable record. `loadedLsn` is the number of the last record whose spans are in the trace store. */
  add: (segment: number, stretch: LostStretch, loadedLsn: number) => void;
  /** Examines the segment of a record that cannot be read, unless the damage there is already known. */
  examine: (address: RecordAddress) => void;
  /** Examines again the segments that were damaged in earlier runs, and forgets damage that is readable again. */
  examineKnown: () => void;
  forgetRemoved: () => void;
  close: () => Promise<void>;
};

const CODE = "journal_damaged";
const SLICE_MS = 10;

export function createJournalDamage(dataDir: string, conditions: Conditions, log: Log): JournalDamage {
  const dir = journalDir(dataDir);
  const stored = readDamage(dataDir);
  /** Unfinished writes were never acknowledged, so they are not stored in the file. */
  const known = new Map<string, DamagedStretch & { isUnfinishedWrite: boolean }>();
  const examined = new Set<string>();
  let reported = 0;
  let isShown = true;
  let work: Promise<void> = Promise.resolve();
  let isClosed = false;

  for (const stretch of stored ?? []) known.set(keyOf(stretch), { ...stretch, isUnfinishedWrite: false });
  report();

  function put(segment: number, { position, bytes, records, isUnfinishedWrite }: LostStretch): void {
    const key = keyOf({ segment, position });
    const earlier = known.get(key);
    known.set(key, {
      segment,
      position,
      bytes,
      records: records ?? earlier?.records ?? null,
      since: earlier?.since ?? new Date().toISOString(),
      isUnfinishedWrite: isUnfinishedWrite && earlier?.isUnfinishedWrite !== false,
    });
    showSoon();
  }

  function showSoon(): void {
    if (isShown) setImmediate(show);
    isShown = false;
  }

  function show(): void {
    if (isShown) return;
    isShown = true;
    report();
    const stretches = [...known.values()].filter(({ isUnfinishedWrite }) => !isUnfinishedWrite);
    try {
      writeDamage(
        dataDir,
        stretches.map(({ isUnfinishedWrite: _, ...stretch }) => stretch),
      );
    } catch (error) {
      log.warn(
        { err: error },
        "the list of the journal's damage could not be written, so that a restart may forget it",
      );
    }
  }

  function report(): void {
    const stretches = [...known.values()];
    const count = stretches.reduce((sum, { records }) => sum + (records ?? 1), 0);
    if (count < reported) {
      conditions.clear(CODE);
      reported = 0;
    }
    if (count === 0) return;
    conditions.report({
      code: CODE,
      count: count - reported,
      since: stretches.map(({ since }) => since).sort()[0]!,
      message: messageOf(dir, stretches),
      remedy: "Check the disk. Then restore a backup with `svc restore`, or send the missing spans again.",
    });
    reported = count;
  }

  async function examineAgain(segment: number): Promise<void> {
    const lost: LostStretch[] = [];
    if (segmentsIn(dir).includes(segment)) {
      let sliceEnds = performance.now() + SLICE_MS;
      for (const _ of examineSegment(dir, segment, (stretch) => lost.push(stretch))) {
        if (performance.now() < sliceEnds) continue;
        await nextTurn();
        if (isClosed) return;
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    for (const [key, stretch] of known) {
      if (stretch.segment === segment && !lost.some(({ position }) => position === stretch.position)) known.delete(key);
    }
    for (const stretch of lost) {
      const isKnown = known.has(keyOf({ segment, position: stretch.position }));
      if (isKnown || !stretch.isUnfinishedWrite) put(segment, stretch);
    }
    showSoon();
  }

  async function examineAll(segments: Iterable<number>): Promise<void> {
    for (const segment of segments) if (!isClosed) await examineAgain(segment);
  }

  function examineSoon(segments: Iterable<number>): void {
    work = work
      .then(() => examineAll(segments))
      .catch((error: unknown) => log.error({ err: error }, "a segment of the journal could not be examined"));
  }

  return {
    add(segment, stretch, loadedLsn) {
      const next = segmentsIn(dir).find((name) => name > segment);
      put(segment, withRecordsBefore(stretch, next ?? loadedLsn + 1));
    },
    examine({ segment, position }) {
      const isKnown = [...known.values()].some(
        (stretch) =>
          stretch.segment === segment && position >= stretch.position && position < stretch.position + stretch.bytes,
      );
      if (isKnown || examined.has(keyOf({ segment, position }))) return;
      examined.add(keyOf({ segment, position }));
      examineSoon([segment]);
    },
    examineKnown: () =>
      examineSoon(stored === undefined ? segmentsIn(dir) : new Set(stored.map(({ segment }) => segment))),
    forgetRemoved() {
      const names = new Set(segmentsIn(dir));
      for (const [key, { segment }] of known) {
        if (names.has(segment)) continue;
        known.delete(key);
        showSoon();
      }
    },
    async close() {
      isClosed = true;
      await work;
      show();
    },
  };
}

const keyOf = ({ segment, position }: { segment: number; position: number }): string => `${segment} ${position}`;

function messageOf(dir: string, stretches: (DamagedStretch & { isUnfinishedWrite: boolean })[]): string {
  const { segment, records, isUnfinishedWrite } = stretches.at(-1)!;
  const bytes = stretches.reduce((sum, stretch) => sum + stretch.bytes, 0);
  const path = segmentPath(dir, segment);
  if (stretches.length > 1) {
    const segments = new Set(stretches.map((stretch) => stretch.segment)).size;
    const where =
      segments === 1 ? `The journal segment ${path} has` : `${segments} journal segments, one of them ${path}, have`;
    return `${where} ${bytes} bytes without a readable record, at ${stretches.length} positions.`;
  }
  const stretch = `The journal segment ${path} has ${bytes} bytes without a readable record.`;
  if (isUnfinishedWrite) {
    return `${stretch} The segment is damaged, or a stop interrupted the write of a body at its end, which was never acknowledged.`;
  }
  if (records === null) return `${stretch} The number of the lost records is unknown.`;
  return `${stretch} They held ${records === 1 ? "one record" : `${records} records`}.`;
}
