import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createRunningLimit, ranMsSince, stalledMsSince } from "../packages/server/src/base/async/event-loop-stalls.ts";
import { exchange } from "../packages/server/src/base/net/outbound.ts";
import { until } from "./support/until.ts";

function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test("a block of the event loop is a stall, even for code that runs before the next tick", () => {
  const fromMs = performance.now();
  block(800);
  expect(stalledMsSince(fromMs)).toBeGreaterThan(400);
  expect(ranMsSince(fromMs)).toBeLessThan(performance.now() - fromMs - 400);
});

test("a stall before a time is no stall since that time", () => {
  block(800);
  stalledMsSince(0);
  const fromMs = performance.now();
  expect(stalledMsSince(fromMs)).toBe(0);
});

test("a stall does not shorten a time limit, and the limit ends after it", async () => {
  const limit = createRunningLimit(600);
  block(900);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(limit.signal.aborted).toBe(false);
  await until("the limit is over", () => limit.signal.aborted);
});

test("an answer that arrives during a stall longer than its time limit is read", async () => {
  const server = createServer((_, response) => response.end("in time"));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const request = exchange({ method: "GET", url, timeoutMs: 2_000, maxBytes: 1_000, privateAddresses: "allow" });
  block(2_500);
  expect((await request).body.toString()).toBe("in time");
  server.closeAllConnections();
  server.close();
});
