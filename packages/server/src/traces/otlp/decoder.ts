import { LIMITS } from "@svc/contract/constants";
import { AppError } from "../../base/errors.ts";
import { createDecompress } from "../../http/decompress.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { SpanBatch } from "../span-batch.ts";
import { createJsonDecoder } from "./decode-json.ts";
import { createProtobufDecoder } from "./decode-protobuf.ts";
import { type BodyDecoder, type DecodeContext, type DecodeResult, SpanRows } from "./span-rows.ts";

type DecodeOptions = Pick<DecodeContext, "index" | "bounded">;

type Decoder = {
  decodeProtobuf: BodyDecoder["decode"];
  decodeJson: BodyDecoder["decode"];
  /** By default, fills all columns and applies no limits. */
  decodeRecord: (record: JournalRecord, batch: SpanBatch, options?: DecodeOptions) => DecodeResult;
  /** The next call may overwrite the returned body. */
  plainBody: (record: Pick<JournalRecord, "chunks" | "compression">) => Buffer;
};

/** Error for a body in an encoding that only a newer version supports. */
export class NewerRecord extends AppError {
  constructor() {
    super(
      "unavailable",
      "A newer version of the service wrote this body in an encoding that this version does not know.",
    );
  }
}

/** The decoder handles one body at a time, without yielding to other work. */
export function createDecoder(): Decoder {
  const rows = new SpanRows();
  const decompress = createDecompress();
  const { decode: decodeProtobuf } = createProtobufDecoder(rows);
  const { decode: decodeJson } = createJsonDecoder(rows);

  function decodeRecord(record: JournalRecord, batch: SpanBatch, options: DecodeOptions = {}): DecodeResult {
    const { project, receivedMs, lsn } = record;
    const decode = record.encoding === "json" ? decodeJson : decodeProtobuf;
    return decode(plainBody(record), batch, { project, receivedMs, lsn, ...options });
  }

  function plainBody({ chunks, compression }: Pick<JournalRecord, "chunks" | "compression">): Buffer {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    if (compression === "unknown") throw new NewerRecord();
    return decompress(body, compression, LIMITS.traceBodyBytes);
  }

  return { decodeProtobuf, decodeJson, decodeRecord, plainBody };
}
