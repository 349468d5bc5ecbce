import { LIMITS } from "@svc/contract/constants";
import { inflateGzip } from "../../http/inflate.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { SpanBatch } from "../span-batch.ts";
import { decodeJson } from "./decode-json.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import type { Decoded } from "./span-rows.ts";

/** Adds the spans of a body to the batch, or throws and leaves the batch as it was. */
export function decodeRecord(record: JournalRecord, into: SpanBatch, { index }: { index: boolean }): Decoded {
  const chunks = record.chunks as Buffer[];
  const body = record.gzip
    ? inflateGzip(chunks, LIMITS.traceBodyBytes)
    : chunks.length === 1
      ? chunks[0]!
      : Buffer.concat(chunks);
  const { project, receivedMs, lsn } = record;
  return (record.encoding === "json" ? decodeJson : decodeProtobuf)(body, into, { project, receivedMs, lsn, index });
}
