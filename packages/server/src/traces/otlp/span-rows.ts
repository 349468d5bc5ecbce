import { NO_TEXT, TEXT_COLUMNS, type BatchMark, type SpanBatch } from "../span-batch.ts";
import { BodyBounds } from "./body-bounds.ts";
import { Identity } from "./identity.ts";
import { BACKSLASH, JsonText, QUOTE, type ByteView } from "./json-text.ts";
import { LIMIT_BYTES } from "./limits.ts";

const REJECT_REASONS = ["bad trace id", "bad span id", "no start time", "time out of range"] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

export type DecodeContext = {
  project: number;
  receivedMs: number;
  lsn: number;
  /** Whether to fill only the columns that are needed to find and summarize a span. The whole body is still checked. */
  index?: boolean;
  /**
   * Whether to throw when a body has more spans or parts than a sender may send. Default: false, so that a body that was accepted earlier
   * is always decoded completely.
   */
  bounded?: boolean;
};

export type DecodeResult = { accepted: number; rejected: number; reasons: Partial<Record<RejectReason, number>> };

export type BodyDecoder = {
  /** Throws MalformedBody for a body that is not an OTLP export, and leaves the batch unchanged. */
  decode: (body: Buffer, batch: SpanBatch, context: DecodeContext) => DecodeResult;
};

export const NAME = TEXT_COLUMNS.indexOf("name");
export const STATUS_MESSAGE = TEXT_COLUMNS.indexOf("status_message");
export const TRACE_STATE = TEXT_COLUMNS.indexOf("trace_state");
export const ATTRIBUTES = TEXT_COLUMNS.indexOf("attributes");
export const EVENTS = TEXT_COLUMNS.indexOf("events");
export const LINKS = TEXT_COLUMNS.indexOf("links");
const CONVERSATION = TEXT_COLUMNS.indexOf("conversation");
const AGENT = TEXT_COLUMNS.indexOf("agent");
const SERVICE = TEXT_COLUMNS.indexOf("service");

const PLAIN_LIMITS = TEXT_COLUMNS.map((column) =>
  column === "name" ? LIMIT_BYTES.name : column === "trace_state" ? LIMIT_BYTES.traceState : LIMIT_BYTES.statusMessage,
);

/** A name in a resource, which the resource's spans share. The rank 255 means that there is no name. */
const sharedText = () => ({ rank: 255, at: 0, length: NO_TEXT });

const word = (bytes: Buffer, at: number) =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

/** Rules for both encodings: which spans are accepted, and how a span fills its row. */
export class SpanRows {
  readonly text = new JsonText();
  readonly identity = new Identity();
  readonly bounds = new BodyBounds();
  /** Largest number of bytes of an attribute value. Resources and spans have different limits. */
  valueLimit: number = LIMIT_BYTES.value;
  #batch!: SpanBatch;
  #context!: DecodeContext;
  #mark!: BatchMark;
  #rejected: number[] = [];
  #row = 0;
  #rowAt = 0;
  #hasTraceId = false;
  #hasSpanId = false;
  #resource = "";
  #scope = "";
  #originIndex = -1;
  #conversation = sharedText();
  #agent = sharedText();
  #service = sharedText();

  open(batch: SpanBatch, context: DecodeContext, repairing = false): void {
    this.#batch = batch;
    this.#context = context;
    this.valueLimit = LIMIT_BYTES.value;
    this.bounds.open(context.bounded === true);
    this.#mark = batch.mark();
    this.#rejected = REJECT_REASONS.map(() => 0);
    this.text.open(batch, repairing, context.index === true);
  }

  /** Ends the body. When its text is not UTF-8, removes the body from the batch and returns undefined. */
  close(): DecodeResult | undefined {
    if (!this.text.repairing && !this.text.isUtf8()) {
      this.abandon();
      return undefined;
    }
    this.text.close();
    this.#batch.lastLsn = Math.max(this.#batch.lastLsn, this.#context.lsn);
    const result: DecodeResult = { accepted: this.#batch.rows - this.#mark.rows, rejected: 0, reasons: {} };
    for (const [i, reason] of REJECT_REASONS.entries()) {
      if (this.#rejected[i] === 0) continue;
      result.rejected += this.#rejected[i]!;
      result.reasons[reason] = this.#rejected[i]!;
    }
    return result;
  }

  abandon(): void {
    this.text.release();
    this.#batch.truncate(this.#mark);
  }

  resource(from: number): void {
    const { text, identity } = this;
    this.#resource = text.muted ? "" : text.toString(from);
    this.#originIndex = -1;
    const conversation =
      identity.conversationRank === 255 ? "" : this.#value(identity.conversationAt, identity.conversationEnd);
    const agent = identity.agentRank === 255 ? "" : this.#value(identity.agentAt, identity.agentEnd);
    const service = identity.serviceAt < 0 ? "" : this.#value(identity.serviceAt, identity.serviceEnd);
    text.at = from;
    this.#share(this.#conversation, identity.conversationRank, conversation);
    this.#share(this.#agent, identity.agentRank, agent);
    this.#share(this.#service, identity.serviceAt < 0 ? 255 : 0, service);
  }

  scope(from: number): void {
    this.#scope = this.text.muted ? "" : this.text.toString(from);
    this.#originIndex = -1;
    this.text.at = from;
  }

  beginSpan(): void {
    this.bounds.span();
    this.#rowAt = this.text.at;
    this.#row = this.#batch.addRow();
    this.#hasTraceId = false;
    this.#hasSpanId = false;
    this.identity.clear();
  }

  traceId(bytes: Buffer, from: number, to: number): void {
    this.#hasTraceId = false;
    if (to - from !== 16) return;
    const words = this.#batch.columns.trace_id;
    const at = this.#row * 4;
    const a = word(bytes, from);
    const b = word(bytes, from + 4);
    const c = word(bytes, from + 8);
    const d = word(bytes, from + 12);
    words[at] = d;
    words[at + 1] = c;
    words[at + 2] = b;
    words[at + 3] = a;
    this.#hasTraceId = (a | b | c | d) !== 0;
  }

  spanId(bytes: Buffer, from: number, to: number): void {
    this.#hasSpanId = to - from === 8 && this.#id(this.#batch.columns.span_id, bytes, from);
  }

  parentId(bytes: Buffer, from: number, to: number): void {
    const column = this.#batch.columns.parent_span_id;
    if (to - from === 8) this.#id(column, bytes, from);
    else column[this.#row * 2] = column[this.#row * 2 + 1] = 0;
  }

  start(low: number, high: number): void {
    this.#batch.columns.start_ns[this.#row * 2] = low;
    this.#batch.columns.start_ns[this.#row * 2 + 1] = high;
  }

  end(low: number, high: number): void {
    this.#batch.columns.end_ns[this.#row * 2] = low;
    this.#batch.columns.end_ns[this.#row * 2 + 1] = high;
  }

  kind(kind: number): void {
    this.#batch.columns.kind[this.#row] = kind > 0 && kind <= 5 ? kind : 0;
  }

  status(code: number): void {
    this.#batch.columns.status[this.#row] = code === 1 || code === 2 ? code : 0;
  }

  flags(flags: number): void {
    this.#batch.columns.flags[this.#row] = flags;
  }

  droppedAttributes(count: number): void {
    this.#batch.columns.dropped_attributes[this.#row] = count;
  }

  droppedEvents(count: number): void {
    this.#batch.columns.dropped_events[this.#row] = count;
  }

  droppedLinks(count: number): void {
    this.#batch.columns.dropped_links[this.#row] = count;
  }

  /** An empty text becomes NULL, except in the column of the name. */
  plain(column: number, source: ByteView, from: number, to: number): void {
    if (this.#isOmitted(column, from === to)) return;
    this.text.plain(source, from, to, PLAIN_LIMITS[column]!);
    this.#batch.setText(this.#row, column, this.text.plainAt, this.text.plainLength);
  }

  plainOf(column: number, value: string): void {
    if (this.#isOmitted(column, value === "")) return;
    this.text.plainOf(value, PLAIN_LIMITS[column]!);
    this.#batch.setText(this.#row, column, this.text.plainAt, this.text.plainLength);
  }

  /** The span's name is always stored, even when it is empty. Other columns leave out empty texts, and all texts while `muted` is true. */
  #isOmitted(column: number, empty: boolean): boolean {
    return column !== NAME && (empty || this.text.muted);
  }

  json(column: number, from: number): void {
    if (!this.text.muted) this.#batch.setText(this.#row, column, from, this.text.at - from);
  }

  /** Records a name of the conversation, the agent or the service: the JSON that starts at `from`. */
  named(code: number, from: number): void {
    const empty = this.text.at - from === 2 && this.text.heap[from] === QUOTE;
    if (!empty) this.identity.offer(code, from, this.text.at);
  }

  endSpan(): void {
    const batch = this.#batch;
    const row = this.#row;
    const columns = batch.columns;
    const startHigh = columns.start_ns[row * 2 + 1]!;
    if (!this.#hasTraceId) return this.#reject(0);
    if (!this.#hasSpanId) return this.#reject(1);
    if (startHigh === 0 && columns.start_ns[row * 2] === 0) return this.#reject(2);
    if (startHigh > 0x7fff_ffff || columns.end_ns[row * 2 + 1]! > 0x7fff_ffff) return this.#reject(3);
    columns.received_ms[row] = this.#context.receivedMs;
    columns.lsn[row] = this.#context.lsn;
    columns.project[row] = this.#context.project;
    if (!this.text.muted) columns.origin[row] = this.#origin();
    this.#identify();
  }

  #reject(reason: number): void {
    this.#rejected[reason]!++;
    this.#batch.rows = this.#row;
    this.text.at = this.#rowAt;
  }

  #origin(): number {
    if (this.#originIndex >= 0) return this.#originIndex;
    const origins = this.#batch.origins;
    const last = origins.at(-1);
    // With the same string object, the next comparison only compares pointers.
    if (last?.resource === this.#resource) this.#resource = last.resource;
    if (last?.scope === this.#scope) this.#scope = last.scope;
    if (last?.resource !== this.#resource || last.scope !== this.#scope) {
      origins.push({ resource: this.#resource, scope: this.#scope });
    }
    this.#originIndex = origins.length - 1;
    return this.#originIndex;
  }

  #identify(): void {
    const { identity } = this;
    const row = this.#row;
    const conversation = this.#conversation;
    if (identity.conversationRank !== 255 && identity.conversationRank <= conversation.rank) {
      this.#nameBy(CONVERSATION, identity.conversationAt, identity.conversationEnd);
    } else {
      this.#batch.setText(row, CONVERSATION, conversation.at, conversation.length);
    }
    this.#batch.columns.conversation_rank[row] = Math.min(identity.conversationRank, conversation.rank);
    this.#batch.setText(row, SERVICE, this.#service.at, this.#service.length);
    const agent = this.#agent;
    if (identity.agentRank !== 255 && identity.agentRank <= agent.rank) {
      this.#nameBy(AGENT, identity.agentAt, identity.agentEnd);
    } else {
      this.#batch.setText(row, AGENT, agent.at, agent.length);
    }
  }

  /** A short value without escapes shares the text of the attributes. Other values are written separately. */
  #nameBy(column: number, at: number, end: number): void {
    const heap = this.text.heap;
    const quoted = heap[at] === QUOTE ? 1 : 0;
    const length = end - at - 2 * quoted;
    let verbatim = length <= LIMIT_BYTES.identity;
    for (let i = at; verbatim && i < end; i++) verbatim = heap[i] !== BACKSLASH;
    if (verbatim) {
      this.#batch.setText(this.#row, column, at + quoted, length);
      return;
    }
    this.text.plainOf(this.#value(at, end), LIMIT_BYTES.identity);
    this.#batch.setText(this.#row, column, this.text.plainAt, this.text.plainLength);
  }

  #value(at: number, end: number): string {
    const token = this.text.heap.toString("utf8", at, end);
    return token.startsWith('"') ? (JSON.parse(token) as string) : token;
  }

  #share(shared: ReturnType<typeof sharedText>, rank: number, value: string): void {
    shared.rank = rank;
    shared.at = 0;
    shared.length = NO_TEXT;
    if (rank === 255) return;
    this.text.plainOf(value, LIMIT_BYTES.identity);
    shared.at = this.text.plainAt;
    shared.length = this.text.plainLength;
  }

  #id(column: Uint32Array, bytes: Buffer, from: number): boolean {
    const a = word(bytes, from);
    const b = word(bytes, from + 4);
    column[this.#row * 2] = b;
    column[this.#row * 2 + 1] = a;
    return (a | b) !== 0;
  }
}
