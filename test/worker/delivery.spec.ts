import { afterEach, expect, test } from "vitest";
import { defaultResource } from "@opentelemetry/resources";
import { NodeTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { ExportTraceServiceResponse } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import { createCounters } from "../../packages/worker-helper/src/counters.ts";
import { createDelivery } from "../../packages/worker-helper/src/delivery.ts";
import { encodeSpan } from "../../packages/worker-helper/src/encode.ts";
import { PACE } from "../../packages/worker-helper/src/pace.ts";
import { createPost } from "../../packages/worker-helper/src/post.ts";
import { newSecret } from "../support/secret.ts";
import { until } from "../support/until.ts";
import { type Answer, type Receiver, startReceiver } from "../support/worker-receiver.ts";

const QUICK = {
  ...PACE,
  flushMs: 20,
  longestFlushMs: 100,
  firstBackoffMs: 20,
  longestBackoffMs: 100,
  requestTimeoutMs: 5_000,
  lastTryMs: 50,
};
const apiKey = newSecret();
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function receiver(answer?: (n: number) => Answer): Promise<Receiver> {
  const started = await startReceiver(answer);
  stops.push(started.stop);
  return started;
}

function deliveryTo(url: string, pace: Partial<typeof PACE> = {}) {
  const counters = createCounters();
  const warnings: string[] = [];
  const warn = (problem: string) => void warnings.push(problem);
  const delivery = createDelivery({
    post: createPost(`${url}/v1/traces`, apiKey),
    counters,
    warn,
    pace: { ...QUICK, ...pace },
  });
  stops.push(delivery.stop);
  const add = (name: string, text = "") => {
    counters.recorded += 1;
    delivery.add(spanOf(name, text));
  };
  const addSome = (count: number) => names(count).forEach((name) => add(name));
  return { delivery, counters, warnings, add, addSome };
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `span ${i}`);
const namesIn = (spans: { name?: unknown }[]) => spans.map(({ name }) => name);
const tracer = new NodeTracerProvider().getTracer("livekit-agents");

function spanOf(name: string, text: string): Uint8Array {
  const span = tracer.startSpan(name, { root: true, attributes: { text } });
  span.end();
  const location = { context: span.spanContext(), parent: undefined };
  return encodeSpan(span as unknown as ReadableSpan, defaultResource(), location);
}

function expectBalanced({ recorded, delivered, refused, dropped, waiting }: ReturnType<typeof createCounters>): void {
  expect(delivered + refused + dropped + waiting).toBe(recorded);
}

test("spans arrive once and in order, as gzipped protobuf with the key", async () => {
  const { url, received, taken } = await receiver();
  const { addSome, delivery, counters } = deliveryTo(url);
  addSome(600);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(names(600));
  expect(received[0]).toMatchObject({
    path: "/v1/traces",
    headers: {
      "content-type": "application/x-protobuf",
      "content-encoding": "gzip",
      authorization: `Bearer ${apiKey}`,
    },
  });
  expect(Math.max(...received.map(({ spans }) => spans.length))).toBeLessThanOrEqual(256);
  expect(counters).toMatchObject({ delivered: 600, waiting: 0, waitingBytes: 0, lastProblem: null });
});

test("an instrumented fetch makes no span for an export", async () => {
  const instrumented = new NodeTracerProvider();
  instrumented.register();
  const bare = globalThis.fetch;
  const recorded: boolean[] = [];
  globalThis.fetch = (...request) => {
    recorded.push(instrumented.getTracer("fetch").startSpan("POST").isRecording());
    return bare(...request);
  };
  stops.push(() => (globalThis.fetch = bare));
  const { url } = await receiver();
  const { addSome, delivery } = deliveryTo(url);
  addSome(1);
  await delivery.flush(60_000);
  expect(recorded).toEqual([false]);
});

test("spans are sent within the interval without a flush", async () => {
  const { url, taken } = await receiver();
  deliveryTo(url).addSome(3);
  await until("the spans", () => taken.length === 3);
});

test("spans are sent at longer intervals as less of the service's request limit is left, and at once by a flush", async () => {
  const headers = { "ratelimit-limit": "600", "ratelimit-remaining": "60" };
  const { url, received, taken } = await receiver((n) => {
    if (n === 0) addSome(2);
    return { status: 200, headers };
  });
  const { addSome, delivery } = deliveryTo(url, { flushMs: 50, longestFlushMs: 60_000 });
  addSome(1);
  await until("the second", () => received.length === 2);
  expect(received[1]!.atMs - received[0]!.atMs).toBeGreaterThanOrEqual(450);
  addSome(3);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(taken).toHaveLength(6);
});

test.each([
  ["no request limit", {}],
  ["no requests left", { "ratelimit-limit": "600", "ratelimit-remaining": "0" }],
  ["an invalid request limit", { "ratelimit-limit": "-5", "ratelimit-remaining": "many" }],
])("an answer with %s does not delay spans beyond the longest interval", async (_name, headers) => {
  const { url, received } = await receiver(() => ({ status: 200, headers }));
  const { addSome } = deliveryTo(url, { longestFlushMs: 200 });
  addSome(1);
  await until("the first", () => received.length === 1);
  addSome(1);
  await until("the second", () => received.length === 2, 2_000);
});

test("no body exceeds the limit of bytes", async () => {
  const { url, received, taken } = await receiver();
  const { add, delivery } = deliveryTo(url, { batch: { spans: 256, bytes: 100_000 } });
  for (const name of names(10)) add(name, "x".repeat(40_000));
  expect(await delivery.flush(60_000)).toBe(true);
  expect(taken).toHaveLength(10);
  expect(Math.max(...received.map(({ rawBytes }) => rawBytes))).toBeLessThanOrEqual(100_000);
});

const lateAnswers: [string, Answer][] = [
  ...[408, 425, 429, 500, 502, 503, 504].map((status): [string, Answer] => [`HTTP ${status}`, { status }]),
  ["a lost connection", "reset"],
  ["no answer", "hang"],
];

test.each(lateAnswers)("the same spans are sent again after %s", async (_name, answer) => {
  const { url, taken, received } = await receiver((n) => (n < 2 ? answer : { status: 200 }));
  // A busy machine may take longer than a short limit for an answer that comes at once.
  const { addSome, delivery, counters } = deliveryTo(url, answer === "hang" ? { requestTimeoutMs: 1_000 } : {});
  addSome(5);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(names(5));
  expect(received).toHaveLength(3);
  expect(counters).toMatchObject({ delivered: 5, retries: 2, requests: 3 });
});

test.each([
  ["seconds", () => "1"],
  ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
])("a Retry-After in %s is respected", async (_name, retryAfter) => {
  const answer = (n: number) => (n === 0 ? { status: 429, headers: { "retry-after": retryAfter() } } : { status: 200 });
  const { url, received } = await receiver(answer);
  const { addSome, delivery } = deliveryTo(url);
  addSome(1);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(received[1]!.atMs - received[0]!.atMs).toBeGreaterThanOrEqual(950);
});

test("a Retry-After of 0 does not cause requests without a pause", async () => {
  const { url, received } = await receiver(() => ({ status: 503, headers: { "retry-after": "0" } }));
  const { addSome, delivery } = deliveryTo(url, { firstBackoffMs: 100 });
  addSome(1);
  expect(await delivery.flush(600)).toBe(false);
  expect(received.length).toBeLessThanOrEqual(8);
});

test("a flush makes a last attempt in its time when Retry-After is longer", async () => {
  const answer = (n: number) => (n === 0 ? { status: 429, headers: { "retry-after": "60" } } : { status: 200 });
  const { url, taken } = await receiver(answer);
  // The last attempt has time on a busy machine too.
  const { addSome, delivery } = deliveryTo(url, { lastTryMs: 4_500 });
  addSome(2);
  expect(await delivery.flush(5_000)).toBe(true);
  expect(taken).toHaveLength(2);
});

test("a body that is too large is halved until the service accepts it", async () => {
  const { url, taken } = await startWithLimit(3_000);
  const { addSome, delivery, counters } = deliveryTo(url);
  addSome(64);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(names(64));
  expect(counters).toMatchObject({ delivered: 64, refused: 0 });
});

async function startWithLimit(mostBytes: number): Promise<Receiver> {
  const started = await startReceiver((_n, { rawBytes }) => ({ status: rawBytes > mostBytes ? 413 : 200 }));
  stops.push(started.stop);
  return started;
}

test("a span that is too large for the service is given up, and the others arrive", async () => {
  const { url, taken } = await startWithLimit(3_000);
  const { add, delivery, counters, warnings } = deliveryTo(url);
  add("small");
  add("large", "x".repeat(5_000));
  add("small too");
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(["small", "small too"]);
  expect(counters).toMatchObject({ delivered: 2, refused: 1 });
  expect(warnings).toEqual([expect.stringMatching(/too large.*raise the limit/)]);
});

test.each([
  [401, /set SVC_API_KEY to a key that is valid/],
  [403, /set SVC_API_KEY to a project-scoped key/],
])("after HTTP %i no span is sent, and a warning names the wrong variable without the key", async (status, remedy) => {
  const { url, received } = await receiver(() => ({ status }));
  const { addSome, delivery, counters, warnings } = deliveryTo(url);
  addSome(300);
  expect(await delivery.flush(60_000)).toBe(true);
  addSome(10);
  await delivery.flush(500);
  expect(received).toHaveLength(1);
  expect(counters).toMatchObject({ delivered: 0, waiting: 0, waitingBytes: 0, recorded: 310 });
  expectBalanced(counters);
  expect(warnings).toEqual([expect.stringMatching(remedy)]);
  expect(warnings.join()).not.toContain(apiKey);
});

test("a key that expires within ten days is a warning, once, and its spans arrive", async () => {
  let secondsLeft = 11 * 86_400;
  const { url, received } = await receiver(() => ({
    status: 200,
    headers: { "svc-key-expires-in": String(secondsLeft) },
  }));
  const { addSome, delivery, counters, warnings } = deliveryTo(url);
  for (const left of [secondsLeft, 3 * 86_400, 3 * 86_400 - 60]) {
    secondsLeft = left;
    addSome(5);
    expect(await delivery.flush(60_000)).toBe(true);
  }
  expect(received).toHaveLength(3);
  expect(counters).toMatchObject({ delivered: 15, refused: 0 });
  expect(warnings).toEqual([expect.stringMatching(/expires in 3 days: create another one/)]);
});

test.each([
  ["HTTP 400", { status: 400 }, /check that SVC_URL/],
  ["HTTP 404", { status: 404 }, /check that SVC_URL/],
  [
    "a web page",
    { status: 200, headers: { "content-type": "text/html" }, body: "<html>" },
    /set SVC_URL to the service's API/,
  ],
])(
  "%s is reported once with the remedy, and its spans count as refused and are not sent again",
  async (_name, answer, remedy) => {
    const { url, received } = await receiver(() => answer);
    const { addSome, delivery, counters, warnings } = deliveryTo(url);
    addSome(5);
    await delivery.flush(60_000);
    addSome(5);
    await delivery.flush(60_000);
    expect(received).toHaveLength(2);
    expect(counters).toMatchObject({ delivered: 0, refused: 10, waiting: 0 });
    expect(warnings).toEqual([expect.stringMatching(remedy)]);
  },
);

test.each([301, 302, 307, 308])(
  "a redirect (HTTP %i) is not followed, so that no other address gets the key",
  async (status) => {
    const elsewhere = await receiver();
    const { url } = await receiver(() => ({ status, headers: { location: `${elsewhere.url}/v1/traces` } }));
    const { addSome, delivery, counters, warnings } = deliveryTo(url);
    addSome(1);
    await delivery.flush(60_000);
    expect(elsewhere.received).toEqual([]);
    expect(counters).toMatchObject({ refused: 1, delivered: 0 });
    expect(warnings).toEqual([expect.stringMatching(/redirects.*set SVC_URL to the final address/)]);
  },
);

test("single spans that the service refuses count as refused, with the reason", async () => {
  const response = { partialSuccess: { rejectedSpans: 2, errorMessage: "2 without a name" } };
  const body = Buffer.from(ExportTraceServiceResponse.encode(response).finish());
  const { url } = await receiver(() => ({ status: 200, headers: { "content-type": "application/x-protobuf" }, body }));
  const { addSome, delivery, counters } = deliveryTo(url);
  addSome(5);
  await delivery.flush(60_000);
  expect(counters).toMatchObject({
    delivered: 3,
    refused: 2,
    lastProblem: expect.stringContaining("2 without a name"),
  });
});

test("while the service does not answer, memory is bounded, the newest spans are kept, and dropped spans are counted", async () => {
  const { url, taken } = await receiver((n) => (n < 3 ? { status: 503 } : { status: 200 }));
  const bounds = { spans: 100, bytes: 20_000 };
  const { addSome, delivery, counters, warnings } = deliveryTo(url, { spool: bounds, firstBackoffMs: 200 });
  for (let round = 0; round < 5; round++) addSome(100);
  expect(counters.waitingBytes).toBeLessThanOrEqual(bounds.bytes);
  expect(counters.dropped).toBeGreaterThan(400);
  expectBalanced(counters);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(names(100).slice(-taken.length));
  expectBalanced(counters);
  expect(warnings.filter((warning) => warning.includes("memory"))).toHaveLength(1);
});

test("a span that is larger than the memory is dropped alone with a warning", async () => {
  const { url, taken } = await receiver();
  const { add, delivery, counters, warnings } = deliveryTo(url, { spool: { spans: 100, bytes: 20_000 } });
  add("small");
  add("huge", "x".repeat(30_000));
  expect(await delivery.flush(60_000)).toBe(true);
  expect(namesIn(taken)).toEqual(["small"]);
  expect(counters).toMatchObject({ delivered: 1, dropped: 1 });
  expect(warnings).toEqual([expect.stringMatching(/^A span is larger than the memory for waiting spans/)]);
});

test("a flush ends in its time while the service does not answer, and the spans arrive later", async () => {
  const { url, taken } = await receiver((n) => (n === 0 ? "hang" : { status: 200 }));
  const { addSome, delivery, counters } = deliveryTo(url, { requestTimeoutMs: 2_000 });
  addSome(3);
  expect(await delivery.flush(200)).toBe(false);
  expect(counters).toMatchObject({ requests: 1, retries: 0, waiting: 3 });
  await until("the spans", () => taken.length === 3);
});

test("a stop during a request drops all spans and counts them", async () => {
  const { url, received } = await receiver(() => "hang");
  const { addSome, delivery, counters } = deliveryTo(url);
  addSome(300);
  await until("the request", () => received.length === 1);
  delivery.stop();
  await until("the end of the request", () => counters.waiting === 0);
  expect(counters).toMatchObject({ dropped: 300, waitingBytes: 0 });
});
