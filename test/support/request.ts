import { ErrorBody, ERRORS, type ErrorCode } from "@svc/contract";
import { expect } from "vitest";

/** One HTTP request that is sent without the SDK, so that nothing is checked, added or retried. */
export type Ask = {
  method: string;
  path: string;
  key?: string;
  cookie?: string;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Buffer | ReadableStream;
};

export type Reply = { status: number; headers: Headers; text: string; bytes: Buffer };

let addresses = 0;

/**
 * Returns a client address that no request has used yet, for services that trust a proxy. The failures of one case then do not
 * limit the next case.
 */
export const freshAddress = (): string =>
  `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;

export async function send(url: string, { method, path, key, cookie, headers, json, body }: Ask): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      "x-forwarded-for": freshAddress(),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { cookie, origin: url }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body: body as ReadableStream, duplex: "half" }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const bytes = isStream ? await firstBytes(response) : Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, text: bytes.toString("utf8"), bytes };
}

/** Returns the first bytes of a stream, which may have no end, and closes it. */
async function firstBytes({ body }: Response): Promise<Buffer> {
  const reader = body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []);
}

/** Returns the JSON of a reply, in the type that the caller expects. */
export const jsonOf = <T>(reply: Reply): T => JSON.parse(reply.text) as T;

/** Expects an error body with the code's status, a message for people and no secret. */
export function expectRefusal(reply: Reply, code: ErrorCode): ErrorBody {
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: ERRORS[code].status });
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
  const body = ErrorBody.parse(JSON.parse(reply.text));
  expect(body.error).toBe(code);
  expect(body.message.trim().length).toBeGreaterThan(10);
  expect(reply.text).not.toMatch(/svc_sk_[A-Za-z0-9_-]{10}/);
  expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(reply.headers.get("www-authenticate")).toBe(code === "not_authenticated" ? "Bearer" : null);
  const mustWait = code === "too_many_requests" || ERRORS[code].status === 503;
  expect(/^[1-9]\d*$/.test(reply.headers.get("retry-after") ?? "")).toBe(mustWait);
  return body;
}
