import { expect, onTestFinished } from "vitest";
import { defaultResource } from "@opentelemetry/resources";
import { NodeTracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace-node";
import { createCounters } from "../../packages/worker-helper/src/counters.ts";
import { createDelivery } from "../../packages/worker-helper/src/delivery.ts";
import { encodeSpan } from "../../packages/worker-helper/src/encode.ts";
import { PACE } from "../../packages/worker-helper/src/pace.ts";
import { createPost } from "../../packages/worker-helper/src/post.ts";
import { newSecret } from "./secret.ts";
import { type Answer, type Receiver, startReceiver } from "./worker-receiver.ts";

const QUICK = {
  ...PACE,
  flushMs: 20,
  longestFlushMs: 100,
  firstBackoffMs: 20,
  longestBackoffMs: 100,
  requestTimeoutMs: 5_000,
  lastTryMs: 50,
};
export const apiKey = newSecret();

/** Starts a receiver of spans, until the test ends. */
export async function receiver(answer?: (n: number) => Answer): Promise<Receiver> {
  const started = await startReceiver(answer);
  onTestFinished(started.stop);
  return started;
}

/** Returns a delivery to the address with short pauses, and its counters and warnings. */
export function deliveryTo(url: string, pace: Partial<typeof PACE> = {}) {
  const counters = createCounters();
  const warnings: string[] = [];
  const warn = (problem: string) => void warnings.push(problem);
  const delivery = createDelivery({
    post: createPost(`${url}/v1/traces`, apiKey),
    counters,
    warn,
    pace: { ...QUICK, ...pace },
  });
  onTestFinished(delivery.stop);
  const add = (name: string, text = "") => {
    counters.recorded += 1;
    delivery.add(spanOf(name, text));
  };
  const addSome = (count: number) => names(count).forEach((name) => add(name));
  return { delivery, counters, warnings, add, addSome };
}

export const names = (count: number) => Array.from({ length: count }, (_, i) => `span ${i}`);
export const namesIn = (spans: { name?: unknown }[]) => spans.map(({ name }) => name);
const tracer = new NodeTracerProvider().getTracer("livekit-agents");

function spanOf(name: string, text: string): Uint8Array {
  const span = tracer.startSpan(name, { root: true, attributes: { text } });
  span.end();
  const location = { context: span.spanContext(), parent: undefined };
  return encodeSpan(span as unknown as ReadableSpan, defaultResource(), location);
}

/** Expects that the other counters add up to the number of recorded spans. */
export function expectBalanced({
  recorded,
  delivered,
  refused,
  dropped,
  waiting,
}: ReturnType<typeof createCounters>): void {
  expect(delivered + refused + dropped + waiting).toBe(recorded);
}

/** Starts a receiver that refuses bodies above this size. */
export async function startWithLimit(mostBytes: number): Promise<Receiver> {
  const started = await startReceiver((_n, { rawBytes }) => ({ status: rawBytes > mostBytes ? 413 : 200 }));
  onTestFinished(started.stop);
  return started;
}
