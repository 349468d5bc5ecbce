import type { IncomingHttpHeaders } from "node:http";
import { type Channel, LIMITS, type operations } from "@svc/contract";
import { z } from "zod";
import { AppError } from "../base/errors.ts";
import { CONTENT_ENCODINGS, type ContentEncoding, contentEncodingOf } from "../http/decompress.ts";
import { foreignCursor } from "../stores/page.ts";

type ListQuery = z.output<(typeof operations.traces.list)["query"]>;

export type ConversationQuery = Omit<ListQuery, "sort" | "total" | "pageSize" | "pageToken" | "projectId">;

type OtlpEncoding = "protobuf" | "json";

const NAMES = CONTENT_ENCODINGS.filter((name) => name !== "identity");
const TAKEN = { headers: { "Accept-Encoding": CONTENT_ENCODINGS.join(", ") } };

export function otlpEncodingOf(headers: IncomingHttpHeaders): { encoding: OtlpEncoding; compression: ContentEncoding } {
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-protobuf" && type !== "application/json") {
    const message = "Send OTLP with the `Content-Type` `application/x-protobuf` or `application/json`.";
    throw new AppError("unsupported_media_type", message, undefined, TAKEN);
  }
  const compression = contentEncodingOf(headers["content-encoding"]);
  if (compression === undefined) {
    const names = NAMES.map((name) => `\`${name}\``).join(" or ");
    const message = `Send the body uncompressed, or with the \`Content-Encoding\` ${names}.`;
    throw new AppError("unsupported_media_type", message, undefined, TAKEN);
  }
  return { encoding: type === "application/json" ? "json" : "protobuf", compression };
}

export const traceIdOf = (text: string): string | undefined => /^[0-9a-f]{32}$/.exec(text.toLowerCase())?.[0];

/** The end of a page of conversations: the sort value and the trace id of its last row. */
export type TraceCursor = { value: string; traceId: string };
export type TraceSort = { by: "startedAt" | "duration" | "latency" | "slowest" | "lastReceived"; descending: boolean };

/** The omitted filters are converted before the index gets them. */
type PlainFilters = Omit<
  ConversationQuery,
  "from" | "to" | "agent" | "agentVersion" | "channel" | "agentId" | "runId" | "alertId" | "verdict"
>;

/**
 * The filters of a list of conversations. The type makes the compiler report a filter of the contract that `filtersOf` or the index omits.
 */
export type TraceFilters = {
  fromNs?: bigint | undefined;
  toNs?: bigint | undefined;
  agents?: readonly string[] | undefined;
  agentVersions?: readonly string[] | undefined;
  channels?: readonly Channel[] | undefined;
  /** Unix milliseconds: the last span was received at this time or later. */
  receivedFromMs?: number;
} & PlainFilters &
  ResolvedIds;

/** What the ids and the verdict of a request stand for: names of agents, ids of simulations, ids of traces, names of conversations. */
export type ResolvedIds = {
  agentNames?: readonly string[] | undefined;
  simulations?: readonly string[] | undefined;
  /** The conversations that contain one of these traces. */
  traceIds?: readonly string[] | undefined;
  /** Names of conversations: the ids that their spans name, or the ids of traces. */
  conversations?: readonly string[] | undefined;
};

export type TraceListRequest = {
  project: number;
  limit: number;
  sort: TraceSort;
  after: TraceCursor | undefined;
  filters: TraceFilters;
  counts?: boolean;
};

export function decideList(project: number, query: ListQuery, resolved: ResolvedIds): TraceListRequest {
  return {
    project,
    limit: query.pageSize ?? LIMITS.pageSizeDefault,
    sort: sortOf(query),
    after: query.pageToken === undefined ? undefined : readPageToken(query.pageToken, query),
    filters: filtersOf(query, resolved),
    counts: query.total ?? false,
  };
}

export const filtersOf = (
  query: ConversationQuery,
  resolved: ResolvedIds,
): TraceFilters & { [F in keyof Required<PlainFilters>]: PlainFilters[F] } => ({
  fromNs: nanosecondsOf(query.from),
  toNs: nanosecondsOf(query.to),
  source: query.source,
  agents: query.agent,
  agentVersions: query.agentVersion,
  channels: query.channel,
  withoutAgent: query.withoutAgent,
  status: query.status,
  slowerThanMs: query.slowerThanMs,
  interrupted: query.interrupted,
  tool: query.tool,
  quality: query.quality,
  ending: query.ending,
  search: query.search,
  ...resolved,
});

/** The token contains the sort order, so that a request with another sort order can reject it. */
export function encodePageToken(query: ListQuery, cursor: TraceCursor): string {
  return writeToken([query.sort ?? "-startedAt", cursor.value, cursor.traceId]);
}

const PageToken = z.tuple([z.string(), z.string().regex(/^-?\d{1,19}$/), z.string().regex(/^[0-9a-f]{32}$/)]);

function readPageToken(token: string, query: ListQuery): TraceCursor {
  const parsed = PageToken.safeParse(readToken(token));
  if (!parsed.success || parsed.data[0] !== (query.sort ?? "-startedAt")) throw foreignCursor();
  const [, value, traceId] = parsed.data;
  return { value, traceId };
}

export const writeToken = (parts: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(parts)).toString("base64url");

/** Returns undefined for a token that `writeToken` cannot have written. */
export function readToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function sortOf({ sort = "-startedAt" }: ListQuery): TraceSort {
  return { by: sort.replace("-", "") as TraceSort["by"], descending: sort.startsWith("-") };
}

const nanosecondsOf = (time: string | undefined) =>
  time === undefined ? undefined : BigInt(Date.parse(time)) * 1_000_000n;
