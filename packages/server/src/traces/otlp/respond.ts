import type { ErrorCode } from "@svc/contract";
import type { AppError } from "../../base/errors.ts";
import { type Encoded, type EncodeError, errorBody } from "../../http/answer-errors.ts";
import type { UnknownPathHint } from "../../http/listener.ts";
import type { Encoding } from "../../http/operation.ts";
import { LIMIT_BYTES } from "./limits.ts";
import type { DecodeResult } from "./span-rows.ts";
import { ExportTraceServiceResponse, RpcStatus } from "./trace-proto.ts";

type ExportAnswer = { partialSuccess?: { rejectedSpans: string; errorMessage: string } };

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";

export function partialSuccessOf({ accepted, rejected, reasons }: DecodeResult): ExportAnswer {
  if (rejected === 0) return {};
  const counts = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`);
  const errorMessage = `Rejected ${rejected} of ${accepted + rejected} spans: ${counts.join(", ")}.`;
  return { partialSuccess: { rejectedSpans: String(rejected), errorMessage } };
}

/** Uses JSON when the encoding of the request is unknown. */
export const otlpAnswers: Encoding = (headers) => {
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  return type === PROTOBUF
    ? { answer: (answer) => encodeAnswer("protobuf", answer as ExportAnswer), error: protobufError }
    : { answer: (answer) => encodeAnswer("json", answer as ExportAnswer), error: jsonError };
};

export function encodeAnswer(encoding: "protobuf" | "json", answer: ExportAnswer): Encoded {
  if (encoding === "json") return { contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(answer)) };
  if (answer.partialSuccess === undefined) return { contentType: PROTOBUF, body: Buffer.alloc(0) };
  const { rejectedSpans, errorMessage } = answer.partialSuccess;
  const response = { partialSuccess: { rejectedSpans: Number(rejectedSpans), errorMessage } };
  return { contentType: PROTOBUF, body: Buffer.from(ExportTraceServiceResponse.encode(response).finish()) };
}

const jsonError: EncodeError = (error) => ({
  contentType: JSON_TYPE,
  body: Buffer.from(JSON.stringify(errorBody(error))),
});

const protobufError: EncodeError = (error) => {
  const status = { code: rpcCodeOf(error), message: error.message.slice(0, LIMIT_BYTES.statusMessage) };
  return { contentType: PROTOBUF, body: Buffer.from(RpcStatus.encode(status).finish()) };
};

/** Value of google.rpc.Code for each HTTP status. */
const RPC_CODES: Partial<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  405: 12, // UNIMPLEMENTED
  409: 10, // ABORTED
  413: 3, // INVALID_ARGUMENT, because RESOURCE_EXHAUSTED would mean "try again"
  415: 3,
  422: 9, // FAILED_PRECONDITION
  429: 8, // RESOURCE_EXHAUSTED
  500: 13, // INTERNAL
  503: 14, // UNAVAILABLE
};
const UNKNOWN = 2;

const rpcCodeOf = (error: Pick<AppError, "status"> & { code: ErrorCode }): number => RPC_CODES[error.status] ?? UNKNOWN;

const SIGNALS: Record<string, { name: string; setting: string }> = {
  "/v1/logs": { name: "logs", setting: "OTEL_LOGS_EXPORTER" },
  "/v1/metrics": { name: "metrics", setting: "OTEL_METRICS_EXPORTER" },
};

/**
 * Returns a hint for an exporter of logs or metrics, in the exporter's encoding: the service accepts only traces. Returns undefined for
 * other requests.
 */
export const hintOnOtherSignals: UnknownPathHint = ({ method, path, headers }) => {
  const signal = SIGNALS[path];
  if (method !== "POST" || signal === undefined) return undefined;
  const { name, setting } = signal;
  return {
    message: `The service takes only traces, at \`POST /v1/traces\`. Switch the export of ${name} off: set \`${setting}=none\`, or remove the service from the Collector's pipeline of ${name}.`,
    encode: otlpAnswers(headers).error,
  };
};
