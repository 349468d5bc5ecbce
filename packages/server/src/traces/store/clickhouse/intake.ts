import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "../../../base/errors.ts";
import { type Db, isStoreUnavailable } from "../../../stores/relational.ts";
import { type DeletedConversations, digestsOf, type DroppedTraces } from "../../erasure/deleted-conversations.ts";
import type { Intake } from "../../intake/intake.ts";
import { bodyKey, createRecentOutcomes } from "../../journal/recent-outcomes.ts";
import { createDecoder } from "../../otlp/decoder.ts";
import type { DecodeResult } from "../../otlp/span-rows.ts";
import { withoutTraces } from "../../otlp/without-traces.ts";
import { type TraceSums, traceSumsOf } from "../index/trace-sums.ts";
import { SpanBatch } from "../../span-batch.ts";
import type { TraceEraser } from "../trace-store.ts";
import type { ClickHouse } from "./client.ts";
import { indexTraces } from "./deletion-order.ts";
import { nativeBlock, SPAN_COLUMNS } from "./native-block.ts";

type ReceivedBody = Parameters<Intake["take"]>[0];

type IntakeOptions = {
  clickHouse: ClickHouse;
  db: Db;
  deleted: DeletedConversations;
  /** Erases spans that were stored after their conversation had been deleted. */
  erase: TraceEraser["erase"];
  onStored: () => void;
  drain: () => Promise<void>;
};

/** The bodies that one INSERT stores together. */
type Group = { batch: SpanBatch; stored: Promise<void>; insertSoon: () => void };

const ROWS = 512;
const HEAP_BYTES = 1024 * 1024;
/** The INSERT of a group with this many bytes starts without waiting for more bodies. */
const GROUP_BYTES = 32 * 1024 * 1024;
const BYTES_MAX = 128 * 1024 * 1024;
/** Least time between the starts of two INSERTs. Each INSERT creates a part, which ClickHouse must merge with other parts. */
const BETWEEN_INSERTS_MS = 100;

/**
 * The intake stores spans in ClickHouse, then stores the sums of their traces in PostgreSQL, and then acknowledges the
 * body. The bodies that arrive during one INSERT are stored by the next INSERT. After a failure, the sender sends the
 * body again. The spans then have the same keys, so they are not stored twice.
 */
export function createClickHouseIntake({ clickHouse, db, deleted, erase, onStored, drain }: IntakeOptions): Intake {
  const decoder = createDecoder();
  const outcomes = createRecentOutcomes<DecodeResult>();
  const groups = new Set<Group>();
  let open: Group | undefined;
  let lastInsert: Promise<void> = Promise.resolve();
  let lastStartedAt = Number.NEGATIVE_INFINITY;
  let lastUs = 0;
  let waits = 0;
  let closed = false;

  function take(body: ReceivedBody): Promise<DecodeResult> {
    const key = bodyKey(body);
    const earlier = outcomes.find(key);
    if (earlier !== undefined) return earlier;
    const outcome = takeNew(body);
    outcomes.add(key, outcome);
    return outcome;
  }

  async function takeNew(body: ReceivedBody): Promise<DecodeResult> {
    if (closed) throw unavailable("The service is stopping; send the spans again later.", 5);
    if ([...groups].reduce((sum, { batch }) => sum + batch.bytes, 0) > BYTES_MAX)
      throw unavailable("More spans arrive than the service can store; send them again later.", 2);
    const group = (open ??= newGroup());
    const { batch, stored } = group;
    const mark = batch.mark();
    const record = { ...body, lsn: 0, receivedMs: Date.now() };
    const decoded = decoder.decodeRecord(record, batch, { index: false, bounded: true });
    const dropped = deleted.tracesIn(body.project, batch, mark.rows);
    if (dropped !== undefined) {
      batch.truncate(mark);
      await takeRest(body, dropped);
      return decoded;
    }
    // Each span gets a different time, so that every reader finds the same first copy of a span.
    lastUs = Math.max(lastUs, record.receivedMs * 1000);
    for (let row = mark.rows; row < batch.rows; row++) batch.columns.lsn[row] = ++lastUs;
    if (decoded.accepted === 0) return decoded;
    if (batch.heapUsed >= GROUP_BYTES) group.insertSoon();
    await stored;
    return decoded;
  }

  async function takeRest(body: ReceivedBody, dropped: DroppedTraces): Promise<void> {
    const rest = withoutTraces(decoder.plainBody(body), body.encoding, (id) => dropped.traceIds.has(id));
    const chunks = rest && [Buffer.from(rest)];
    await deleted.drop(dropped);
    if (chunks !== null) await takeNew({ ...body, compression: "identity", chunks });
  }

  /**
   * The INSERT of the new group starts after the last INSERT has ended: `BETWEEN_INSERTS_MS` after the start of the
   * last INSERT, or earlier when the group is full.
   */
  function newGroup(): Group {
    const full = Promise.withResolvers<void>();
    const batch = new SpanBatch(ROWS, HEAP_BYTES);
    const turn = lastInsert.then(() => Promise.race([full.promise, untilNext()]));
    const inserted = turn.then(() => {
      group.insertSoon();
      lastStartedAt = performance.now();
      return insert(batch);
    });
    lastInsert = inserted.then(
      () => undefined,
      () => undefined,
    );
    const group: Group = {
      batch,
      stored: inserted.then(() => index(batch)),
      insertSoon() {
        if (open === group) open = undefined;
        full.resolve();
      },
    };
    groups.add(group);
    const forget = () => void groups.delete(group);
    group.stored.then(forget, forget);
    return group;
  }

  const untilNext = () => delay(Math.max(0, lastStartedAt + BETWEEN_INSERTS_MS - performance.now()));

  async function insert(batch: SpanBatch): Promise<void> {
    if (batch.rows === 0) return;
    await clickHouse.insert({ table: "spans", columns: SPAN_COLUMNS, format: "Native", bytes: nativeBlock(batch) });
  }

  async function index(batch: SpanBatch): Promise<void> {
    if (batch.rows === 0) return;
    const left = await indexTraces(
      db,
      traceSumsOf(batch, (row) => Math.floor(batch.columns.lsn[row]! / 1000)),
    ).catch((error: unknown) => {
      if (isStoreUnavailable(error))
        throw unavailable("The service could not store the spans; send them again later.", 5);
      throw error;
    });
    for (const [project, sums] of Map.groupBy(left, (one) => one.project)) await drop(project, sums);
    onStored();
  }

  /**
   * Erases stored spans of conversations that another process has deleted. Later spans of these conversations are dropped before they
   * are stored.
   */
  async function drop(project: number, sums: readonly TraceSums[]): Promise<void> {
    const traceIds = sums.map(({ traceId }) => traceId);
    await erase(project, { traceIds, names: [] });
    const spans = sums.reduce((sum, one) => sum + one.spans, 0);
    await deleted.drop({ project, traceIds: new Set(traceIds), spans });
    const names = sums.flatMap(({ conversation }) => conversation ?? []);
    deleted.add(project, digestsOf({ traceIds: [], names }));
  }

  async function loaded(): Promise<void> {
    await Promise.allSettled(Array.from(groups, ({ stored }) => stored));
  }

  return {
    take,
    loaded,
    async drain() {
      await loaded();
      await drain();
    },
    isCatchingUp: () => false,
    acknowledgedLsn: () => ++waits,
    forgetBodies: outcomes.clear,
    async close() {
      closed = true;
      await loaded();
    },
  };
}
