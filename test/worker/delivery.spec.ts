import { expect, onTestFinished, test } from "vitest";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { until } from "../support/until.ts";
import { type Answer } from "../support/worker-receiver.ts";
import {
  apiKey,
  deliveryTo,
  expectBalanced,
  names,
  namesIn,
  receiver,
  startWithLimit,
} from "../support/worker-delivery.ts";

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
  onTestFinished(() => void (globalThis.fetch = bare));
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
  // On a busy machine, the short time limit can end before an answer that does come.
  const isLate = answer === "hang";
  const { addSome, delivery, counters } = deliveryTo(url, isLate ? { requestTimeoutMs: 500 } : {});
  addSome(5);
  expect(await delivery.flush(60_000)).toBe(true);
  expect(new Set(namesIn(taken))).toEqual(new Set(names(5)));
  expect(counters.delivered).toBe(5);
  expect(counters.retries).toBe(counters.requests - 1);
  if (isLate) return expect(counters.retries).toBeGreaterThanOrEqual(2);
  expect(namesIn(taken)).toEqual(names(5));
  expect(received).toHaveLength(3);
  expect(counters.requests).toBe(3);
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
  // This limit gives the last attempt enough time on a busy machine too.
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

test("while the service does not answer, the memory for spans is limited, the newest spans are kept, and dropped spans are counted", async () => {
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
