import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../support/request.ts";
import type { TestServer } from "../support/server.ts";
import { openProcesses, type Processes } from "./processes.ts";

const LIMIT = 100;
/** Requests that the starts of the two processes make. */
const SPENT_BEFORE = 2;

let processes: Processes;
let services: TestServer[];
beforeAll(async () => {
  processes = await openProcesses(2, {
    settings: { SVC_RATE_LIMIT_PER_MINUTE: String(LIMIT), SVC_TRUST_PROXY: "true" },
    rateWindowMs: 600_000,
  });
  ({ services } = processes);
});
afterAll(() => processes.stop());

const read = (n: number, key: string, headers: Record<string, string> = {}) =>
  send(services[n % 2]!.url, { method: "GET", path: "/v1/organization", key, headers });

test("an organization's limit holds for all processes together, and each request counts once", async () => {
  const { adminKey } = services[0]!;
  const replies = await Promise.all(Array.from({ length: LIMIT + 40 }, (_, n) => read(n, adminKey)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT - SPENT_BEFORE);
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(40 + SPENT_BEFORE);
  for (const { headers } of refused) expect(headers.get("ratelimit-remaining")).toBe("0");
  const left = replies.flatMap(({ status, headers }) =>
    status === 200 ? [Number(headers.get("ratelimit-remaining"))] : [],
  );
  expect(left.sort((one, other) => one - other)).toEqual(Array.from({ length: LIMIT - SPENT_BEFORE }, (_, n) => n));
});

test("wrong credentials from one address are counted by all processes together", async () => {
  const headers = { "x-forwarded-for": "192.0.2.7" };
  const statuses: number[] = [];
  for (let n = 0; n < 70; n++) statuses.push((await read(n, `svc_sk_${"x".repeat(43)}`, headers)).status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
});
