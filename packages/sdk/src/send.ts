import type { RequestShape } from "@svc/contract/requests";
import { isHTTPError, type KyInstance } from "ky";
import { errorOf, readAnswer, readError } from "./answer.ts";
import { SvcError } from "./error.ts";
import type { CallOptions, OtlpBody } from "./options.ts";

/** Statuses after which a read is retried. */
export const RETRIED = [429, 502, 503, 504];

/** Sends a request of an operation and returns its answer. Throws an `SvcError` for every other outcome. */
export async function send(
  http: KyInstance,
  op: RequestShape,
  input: Record<string, unknown>,
  call: CallOptions,
): Promise<unknown> {
  const request = op.body === "otlp" ? otlpRequest(input as OtlpBody) : jsonRequest(op, input);
  const isAnswer = (status: number) => op.alsoAnswers?.includes(status) ?? false;
  let response: Response;
  try {
    response = await http(pathOf(op, input), {
      method: op.method,
      ...request,
      ...(call.signal && { signal: call.signal }),
      ...(call.timeoutMs !== undefined && { timeout: call.timeoutMs, totalTimeout: call.timeoutMs }),
      throwHttpErrors: (status) => op.method === "GET" && RETRIED.includes(status) && !isAnswer(status),
    });
  } catch (cause) {
    if (isHTTPError(cause)) throw errorOf(cause.response, cause.data);
    if (call.signal?.aborted) throw cause;
    const message = "The service did not answer. Check its address, and check with `svc doctor` that it runs.";
    // The HTTP library's error contains the request and therefore the API key.
    throw new SvcError({ code: "unreachable", status: 0, message, cause: (cause as Error).cause });
  }
  if (!response.ok && !isAnswer(response.status)) throw await readError(op, response);
  if (response.status === 204) return undefined;
  return op.streams ? response.body : readAnswer(response);
}

function pathOf(op: RequestShape, input: Record<string, unknown>): string {
  return op.path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
}

function jsonRequest(op: RequestShape, input: Record<string, unknown>) {
  const members = (names: readonly string[] = []) =>
    Object.entries(input).filter(([name, value]) => value !== undefined && names.includes(name));
  const body = op.body === "otlp" ? undefined : op.body;
  const query = members(op.query).flatMap(([name, value]) => [value].flat().map((item) => [name, String(item)]));
  const headers = Object.entries(op.headers ?? {}).flatMap(([name, header]) =>
    typeof input[name] === "string" ? [[header, input[name]] as const] : [],
  );
  return {
    ...(query.length > 0 && { searchParams: query }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(body && { json: Object.fromEntries(members(body)) }),
  };
}

function otlpRequest({ body, contentType, gzip }: OtlpBody) {
  return {
    body: body as Uint8Array<ArrayBuffer> | string,
    headers: { "content-type": contentType, ...(gzip && { "content-encoding": "gzip" }) },
  };
}
