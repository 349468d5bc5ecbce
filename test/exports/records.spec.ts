import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { LIMITS } from "@svc/contract";
import type { Client } from "@svc/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newProject, setClock, START_MS, WINDOW_MS } from "../support/alert-windows.ts";
import { traceIdOf } from "../support/ingest.ts";
import { answeredCall, graded, sendSpans } from "../support/production.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

/** More rows than one page of an export has. */
const CALLS = 520;
const FAILED = 3;

const folder = mkdtempSync(join(tmpdir(), "svc-records-"));
let server: TestServer;
let client: Client;
let duckdb: DuckDBInstance;

beforeAll(async () => {
  setClock(0);
  duckdb = await DuckDBInstance.create(":memory:");
  server = await startServer({
    evaluateAlertsEveryMs: 20,
    productionPace: { everyMs: 50 },
    groups: { pace: { everyMs: 20 } },
  });
  client = await newProject(server);
  const check = 'never says "guarantee"';
  await client.graders.create({ name: check, definition: { kind: "check", check }, scope: "production" });
  const { alertRule } = await client.alertRules.create({
    name: "Hotel is slow",
    watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
    windowMinutes: 15,
    condition: { is: "above", value: 2_000 },
  });
  await sendSpans(
    server,
    client,
    Array.from({ length: CALLS }, (_, n) =>
      answeredCall(n, {
        agent: "Hotel",
        startMs: START_MS + n * 1_000,
        latencyMs: 2_400 + n,
        said: n < FAILED ? `I guarantee that room ${n} is free.` : "Yes.",
      }),
    ).flat(),
  );
  setClock(WINDOW_MS / 60_000 + 2);
  const alert = await until(
    "the alert is raised",
    async () => (await client.alerts.list({ alertRuleId: alertRule.id })).alerts[0],
  );
  await client.alerts.acknowledge({ alertId: alert.id, note: "It is the new model." });
  const [grade] = await graded(client, 0);
  await client.grades.label({ gradeId: grade!.id!, verdict: "passed", note: "It is a promise." });
  await until("all failures are grouped", async () => {
    const { groups } = await client.groups.list({});
    return groups[0]?.size === FAILED;
  });
}, 60_000);
afterAll(async () => {
  duckdb.closeSync();
  await server.stop();
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

async function exported(name: string, of = client): Promise<Record<string, unknown>[]> {
  const path = join(folder, `${readdirSync(folder).length}.parquet`);
  writeFileSync(path, await new Response(await of.exports.file({ name })).bytes());
  const connection = await duckdb.connect();
  try {
    return (await connection.runAndReadAll(`SELECT * FROM '${path}'`)).getRowObjectsJson() as never;
  } finally {
    connection.closeSync();
  }
}

/** Returns a time of the API as the export writes it. */
const time = (iso: string | null) =>
  iso &&
  iso
    .replace("T", " ")
    .replace(/(\.\d*?)0*Z$/, "$1")
    .replace(/\.$/, "");

test("the alerts of an export are those of the API, with the names of the people who acknowledged them", async () => {
  const [alert, ...others] = (await client.alerts.list({})).alerts;
  expect(others).toEqual([]);
  expect(await exported("alerts")).toEqual([
    {
      id: alert!.id,
      alert_rule_id: alert!.alertRuleId,
      rule_name: "Hotel is slow",
      agent: "Hotel",
      severity: alert!.severity,
      window_started_at: time(alert!.windowStartedAt),
      raised_at: time(alert!.raisedAt),
      cleared_at: time(alert!.clearedAt),
      cleared_because: alert!.clearedBecause,
      value: alert!.value,
      interval_low: alert!.interval!.low,
      interval_high: alert!.interval!.high,
      samples: String(CALLS),
      condition_is: "above",
      condition_value: 2_000,
      usual: null,
      unit: "ms",
      what: "p95 of response latency",
      acknowledged_by: alert!.acknowledgedBy,
      acknowledged_at: time(alert!.acknowledgedAt),
      note: "It is the new model.",
    },
  ]);
  const [rule] = await exported("alert_rules");
  expect(rule).toMatchObject({ id: alert!.alertRuleId, name: "Hotel is slow", enabled: true });
  expect(JSON.parse(rule!["content"] as string)).toMatchObject({ windowMinutes: 15, condition: { value: 2_000 } });
});

test("an export has every conversation that raised an alert, also beyond the first page of rows", async () => {
  const [alert] = (await client.alerts.list({})).alerts;
  const rows = await exported("alert_conversations");
  expect(new Set(rows.map(({ alert_id }) => alert_id))).toEqual(new Set([alert!.id]));
  const byPlace = rows.toSorted((one, other) => Number(one["place"]) - Number(other["place"]));
  expect(byPlace.map(({ trace_id }) => trace_id)).toEqual(
    Array.from({ length: CALLS }, (_, n) => traceIdOf(CALLS - 1 - n)),
  );
  expect(byPlace.slice(0, LIMITS.alertConversationsShown)).toEqual(
    alert!.conversations.map(({ traceId, turn, value }, place) => ({
      alert_id: alert!.id,
      place,
      trace_id: traceId,
      turn,
      value,
    })),
  );
});

test("the events of an export are those of the API", async () => {
  const { events } = await client.events.list({ pageSize: LIMITS.pageSizeMax });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["alert.raised", "group.opened"]));
  const rows = await exported("events");
  const expected = events.map(({ id, type, timestamp, data }) => ({ id, type, at: time(timestamp), data }));
  const exportedEvents = rows.map((row) => ({ ...row, data: JSON.parse(row["data"] as string) as unknown }));
  expect(exportedEvents).toHaveLength(expected.length);
  expect(exportedEvents).toEqual(expect.arrayContaining(expected));
});

test("the failure groups of an export are those of the API, with a row for each failure", async () => {
  const [group] = (await client.groups.list({})).groups;
  expect(await exported("failure_groups")).toEqual([
    {
      id: group!.id,
      what: JSON.stringify(group!.what),
      what_text: group!.whatText,
      title: group!.title,
      words: group!.words,
      joined_by_meaning: 0,
      state: "open",
      size: FAILED,
      first_seen_at: time(group!.firstSeenAt),
      last_seen_at: time(group!.lastSeenAt),
      resolved_at: null,
      resolved_by: null,
      resolved_except_versions: [],
      regressed_at: null,
    },
  ]);
  const { members } = await client.groups.members({ groupId: group!.id });
  const failures = await exported("failures");
  expect(failures).toHaveLength(FAILED);
  for (const { traceId, turn, quote, startedAt } of members)
    expect(failures).toContainEqual({
      group_id: group!.id,
      source: "production",
      trace_id: traceId,
      run_id: null,
      simulation_id: null,
      agent: "Hotel",
      agent_version: null,
      turn,
      quote,
      started_at: time(startedAt),
    });
});

test("the labels of an export name their grade and their person", async () => {
  const [grade] = await graded(client, 0);
  expect(await exported("labels")).toEqual([
    {
      grade_id: grade!.id,
      grader_id: grade!.graderId,
      grader_version_id: grade!.graderVersionId,
      graded: "failed",
      verdict: "passed",
      note: "It is a promise.",
      labeled_by: grade!.labels[0]!.userName,
      labeled_at: time(grade!.labels[0]!.labeledAt),
    },
  ]);
});

test("an export of another project has none of these rows", async () => {
  const other = await newProject(server);
  for (const name of ["labels", "alert_rules", "alerts", "alert_conversations", "failure_groups", "failures"])
    expect([name, await exported(name, other)]).toEqual([name, []]);
  const types = (await exported("events", other)).map(({ type }) => type);
  expect(types.filter((type) => type !== "key.created")).toEqual([]);
});
