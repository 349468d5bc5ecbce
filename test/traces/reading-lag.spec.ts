import { expect, test } from "vitest";
import { createConditions } from "../../packages/server/src/base/conditions.ts";
import { watchReadingLag } from "../../packages/server/src/traces/reading-lag.ts";
import { silent } from "../support/ingest.ts";
import { until } from "../support/until.ts";

test("a service that derives conversations more than a minute late is degraded until it has caught up", async () => {
  const conditions = createConditions(silent);
  const closing = new AbortController();
  let lagMs = 59_000;
  watchReadingLag({ readingLagMs: () => lagMs }, conditions, silent, closing.signal, 1);
  expect(conditions.list()).toEqual([]);
  lagMs = 61_000;
  await until("the condition", () => conditions.list().length === 1);
  lagMs = 75_000;
  await until("the new lag", () => conditions.list()[0]!.message.includes("75 seconds"));
  expect(conditions.list()).toMatchObject([{ code: "readings_late", degrades: true, needsAction: false, count: 1 }]);
  lagMs = 0;
  await until("the end of the condition", () => conditions.list().length === 0);
  closing.abort();
});
