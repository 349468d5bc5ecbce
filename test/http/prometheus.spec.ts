import { readFileSync } from "node:fs";
import { allOperations, ERRORS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { carriesToken } from "../../packages/server/src/operations/metrics/token.ts";
import { type Monitored, openMonitored } from "../support/monitoring.ts";
import { attribute, encodeJson, oneSpan } from "../support/otlp.ts";
import { startChatAgent } from "../support/chat-agent.ts";
import { parseMetrics, valueOf } from "../support/prometheus.ts";
import { type Ask, expectRefusal, send } from "../support/request.ts";
import { chatConnection, settled, startRun, versionsOf } from "../support/runs.ts";
import type { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const TOKEN = "a token of the specs with thirty-two characters".replaceAll(" ", "-");
const PATH = "/metrics";
const TRACE_ID = "5b8efff798038103d269b633813fc60c";

let monitored: Monitored;
let server: TestServer;
beforeAll(async () => {
  const settings = { SVC_METRICS_TOKEN: TOKEN, SVC_INGEST_RATE_LIMIT_PER_MINUTE: "60", SVC_TRUST_PROXY: "true" };
  monitored = await openMonitored({ settings });
  server = monitored.server();
});
afterAll(() => monitored.stop());

const ask = (more: Partial<Ask> = {}): Ask => ({ method: "GET", path: PATH, ...more });
const scrapeText = async () => (await send(server.url, ask({ key: TOKEN }))).text;
const scrape = async () => parseMetrics(await scrapeText());
const exportOf = (body: Buffer, key = server.projectKey): Ask => ({
  method: "POST",
  path: "/v1/traces",
  key,
  headers: { "content-type": "application/json" },
  body,
});

describe("a scrape", () => {
  test("a scrape is text in Prometheus' format, with names by its conventions and a help for each", async () => {
    const reply = await send(server.url, ask({ key: TOKEN }));
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const families = parseMetrics(reply.text);
    expect(families.size).toBeGreaterThan(40);
    for (const [name, { type, help }] of families) {
      expect(name).toMatch(/^(svc|process|nodejs)_[a-z0-9_]+$/);
      expect(help.length).toBeGreaterThan(10);
      expect(type).toMatch(/^(counter|gauge|histogram|summary)$/);
      if (!name.startsWith("svc_")) continue;
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|megabytes|percent)(_|$)/);
      expect(help).toMatch(/^[A-Z1].*\.$/);
    }
  });

  test("a scrape says that the service is ready, and what it stands on", async () => {
    const families = await scrape();
    expect(valueOf(families, "svc_ready")).toBe(1);
    expect(valueOf(families, "svc_store_reachable", '{store="relational"}')).toBe(1);
    expect(valueOf(families, "svc_store_reachable", '{store="analytics"}')).toBe(1);
    expect(valueOf(families, "svc_data_disk_free_bytes")).toBeGreaterThan(0);
    expect(valueOf(families, "svc_data_disk_free_bytes")).toBeLessThanOrEqual(valueOf(families, "svc_data_disk_bytes"));
    expect(valueOf(families, "svc_calls_limit")).toBeGreaterThan(0);
    expect(valueOf(families, "process_resident_memory_bytes")).toBeGreaterThan(1024 ** 2);
    expect(families.get("svc_metrics_unread_total")!.samples).toEqual([]);
  });

  test("a scrape counts requests by operation, method and class, and refusals by code", async () => {
    const before = await scrape();
    expect((await send(server.url, { method: "GET", path: "/health" })).status).toBe(200);
    expectRefusal(await send(server.url, { method: "GET", path: "/v1/organization" }), "not_authenticated");
    const after = await scrape();
    const grown = (name: string, labels: string) => valueOf(after, name, labels) - valueOf(before, name, labels);
    expect(grown("svc_http_requests_total", '{operation="health.get",method="GET",status_class="2xx"}')).toBe(1);
    expect(grown("svc_http_requests_total", '{operation="organization.get",method="GET",status_class="4xx"}')).toBe(1);
    expect(grown("svc_http_request_duration_seconds_count", '{operation="health.get"}')).toBe(1);
    expect(grown("svc_http_request_duration_seconds_bucket", '{le="+Inf",operation="health.get"}')).toBe(1);
    expect(grown("svc_http_refusals_total", '{code="not_authenticated"}')).toBe(1);
  });

  test("a scrape counts bodies, spans and bytes, and what was refused by its reason", async () => {
    const before = await scrape();
    const good = encodeJson(oneSpan({ traceId: TRACE_ID }));
    const timeless = encodeJson(oneSpan({ startTimeUnixNano: "0" }));
    expect((await send(server.url, exportOf(good))).status).toBe(200);
    expect((await send(server.url, exportOf(timeless))).status).toBe(200);
    expect((await send(server.url, exportOf(Buffer.from("{")))).status).toBe(400);
    expect((await send(server.url, exportOf(good, "svc_sk_wrong"))).status).toBe(401);
    await server.conversationsRead();
    const after = await scrape();
    const grown = (name: string, labels?: string) => valueOf(after, name, labels) - valueOf(before, name, labels);
    expect(grown("svc_ingest_bodies_total")).toBe(2);
    expect(grown("svc_ingest_spans_total")).toBe(1);
    expect(grown("svc_ingest_bytes_total")).toBe(good.length + timeless.length);
    expect(grown("svc_ingest_refused_spans_total", '{reason="no start time"}')).toBe(1);
    expect(grown("svc_ingest_refused_bodies_total", '{reason="invalid_request"}')).toBe(1);
    expect(grown("svc_ingest_refused_bodies_total", '{reason="not_authenticated"}')).toBe(1);
    expect(valueOf(after, "svc_ingest_waiting_bodies")).toBe(0);
  });

  test("a scrape has no more series after a thousand unknown paths, projects and methods", async () => {
    const series = async () => {
      const samples = [...(await scrape()).values()].flatMap((family) => family.samples);
      return samples.filter(({ name }) => name.startsWith("svc_")).map(({ name, labels }) => name + labels);
    };
    const unknown = (at: number): Ask[] => [
      { method: at % 2 === 0 ? "PROPFIND" : "GET", path: `/unknown-${at}/${at}`, key: server.projectKey },
      { method: "GET", path: `/v1/traces/${at.toString(16).padStart(32, "0")}?project=p${at}`, key: server.adminKey },
    ];
    for (const at of [0, 1]) for (const one of unknown(at)) await send(server.url, one);
    const before = await series();
    for (let at = 2; at < 502; at += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => unknown(at + i)).flatMap((all) => all.map((one) => send(server.url, one))),
      );
    expect(await series()).toEqual(before);
  });

  test("a scrape shows a run while it is played, and counts the ending of its simulation", async () => {
    const held = Promise.withResolvers<void>();
    const agent = await startChatAgent(async () => {
      await held.promise;
      return { message: "I am fine.", ended: true };
    });
    const connection = await chatConnection(server.client, agent.url);
    const testVersions = await versionsOf(server.client, [
      { scenario: "Caller says:\n- Hello.", behaviors: ['says "fine"'] },
    ]);
    const before = await scrape();
    const run = await startRun(server.client, { ...connection, testVersions });
    const during = await until("the simulation runs", async () => {
      const families = await scrape();
      return valueOf(families, "svc_simulations", '{status="running"}') === 1 && families;
    });
    expect(valueOf(during, "svc_runs", '{status="running"}')).toBe(1);
    expect(valueOf(during, "svc_simulations_playing", '{kind="text"}')).toBe(1);
    expect(valueOf(during, "svc_simulations_playing", '{kind="call"}')).toBe(0);
    held.resolve();
    await settled(server.client, run.id);
    agent.stop();
    const after = await scrape();
    const ended = (families: typeof after) =>
      valueOf(families, "svc_simulations_ended_total", '{reason="agent_ended",by="agent"}');
    expect(ended(after) - ended(before)).toBe(1);
    expect(after.get("svc_runs")!.samples).toEqual([]);
    expect(valueOf(after, "svc_simulations_playing", '{kind="text"}')).toBe(0);
  });

  test("a scrape counts reads of calls from a platform by result, and shows open failures and the health of setups", async () => {
    const p = await monitored.project();
    const [good, missing] = [p.callBefore(5), p.callBefore(6)];
    monitored.fake.addCalls([good, missing]);
    monitored.fake.faults.next({ kind: "status", status: 404 }, { path: new RegExp(missing.call_id), times: 10_000 });
    await p.save();
    await p.imported([good]);
    const open = await until("the failure is open", async () => {
      const families = await scrape();
      return valueOf(families, "svc_import_failures") === 1 && families;
    });
    expect(valueOf(open, "svc_import_reads_total", '{result="stored"}')).toBeGreaterThanOrEqual(1);
    expect(valueOf(open, "svc_import_reads_total", '{result="not_found"}')).toBeGreaterThanOrEqual(1);
    expect(valueOf(open, "svc_monitoring_setups", '{state="healthy"}')).toBe(1);
    await monitored.quiet();
    const after = await scrape();
    expect(valueOf(after, "svc_import_failures")).toBe(0);
    expect(after.get("svc_monitoring_setups")!.samples).toEqual([]);
  });

  test("the labels of metrics have only values that the contract or this spec lists", async () => {
    const allowed: Record<string, (value: string) => boolean> = {
      operation: (value) => value === "other" || allOperations.some(({ name }) => name === value),
      code: (value) => value in ERRORS,
      status_class: (value) => /^[1-5]xx$/.test(value),
    };
    const families = [...(await scrape())].filter(([name]) => name !== "svc_conditions");
    const pairs = families
      .flatMap(([, { samples }]) => samples)
      .flatMap(({ labels }) => [...labels.matchAll(/(\w+)="([^"]*)"/g)]);
    expect(pairs.length).toBeGreaterThan(50);
    const wrong = pairs.filter(([, label, value]) => allowed[label!]?.(value!) === false);
    expect(wrong.map(([pair]) => pair)).toEqual([]);
  });

  test("a scrape has no id, name, key or text of a customer", async () => {
    const { organization } = await server.admin.organization.get();
    const { project } = await server.admin.projects.create({ name: "Clinic of Dr. Wren" });
    const named = oneSpan({ name: "blood results", attributes: [attribute("caller", "Ms. Finch")] });
    expect((await send(server.url, exportOf(encodeJson(named)))).status).toBe(200);
    await server.conversationsRead();
    const text = await scrapeText();
    for (const secret of [
      organization.id,
      organization.name,
      project.id,
      project.name,
      project.slug,
      server.project.id,
    ])
      expect(text).not.toContain(secret);
    for (const secret of [TOKEN, server.adminKey, server.projectKey, server.dataDir, "blood", "Finch", TRACE_ID])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\b(org|prj|run|sim|usr|key|agt)_[a-z0-9]{6}/i);
  });

  test("a scrape names an open problem by its code alone", async () => {
    expect((await scrape()).get("svc_conditions")!.samples).toEqual([]);
    const body = encodeJson(oneSpan({ traceId: TRACE_ID }));
    for (let status = 200; status !== 429;) ({ status } = await send(server.url, exportOf(body)));
    const families = await scrape();
    expect(families.get("svc_conditions")!.samples).toEqual([
      { name: "svc_conditions", labels: '{code="exports_refused"}', value: 1 },
    ]);
    expect(valueOf(families, "svc_ingest_refused_bodies_total", '{reason="too_many_requests"}')).toBe(1);
  });

  test("many at the same time are one read, and all are whole", async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, scrapeText));
    for (const text of texts) expect(parseMetrics(text).size).toBeGreaterThan(40);
  });
});

describe("the token", () => {
  test.each([
    ["nothing", undefined],
    ["another token", `Bearer ${"x".repeat(TOKEN.length)}`],
    ["a part of the token", `Bearer ${TOKEN.slice(0, -1)}`],
    ["another scheme", `Basic ${TOKEN}`],
    ["an empty token", "Bearer "],
  ])("%s is refused, and the refusal says what to send", async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const { message } = expectRefusal(await send(server.url, ask({ headers })), "not_authenticated");
    expect(message).toContain("SVC_METRICS_TOKEN");
    expect(message).not.toContain(TOKEN);
  });

  test("an API key opens nothing, and the token is no API key", async () => {
    expectRefusal(await send(server.url, ask({ key: server.adminKey })), "not_authenticated");
    expectRefusal(await send(server.url, { method: "GET", path: "/v1/organization", key: TOKEN }), "not_authenticated");
  });

  test("HEAD is answered, and another method is refused", async () => {
    expect(await send(server.url, ask({ method: "HEAD", key: TOKEN }))).toMatchObject({ status: 200, text: "" });
    expectRefusal(await send(server.url, ask({ method: "POST", key: TOKEN })), "method_not_allowed");
  });

  test("the token is compared whole", () => {
    expect(carriesToken(`bearer ${TOKEN}`, TOKEN)).toBe(true);
    expect(carriesToken(`Bearer ${TOKEN} ${TOKEN}`, TOKEN)).toBe(false);
    expect(carriesToken(undefined, TOKEN)).toBe(false);
  });
});

describe("the dashboard and the alerts", () => {
  /** The names of metrics that Prometheus itself adds. */
  const OF_PROMETHEUS = new Set(["up"]);
  const WORDS =
    /\b(sum|rate|increase|by|max|min|topk|le|histogram_quantile|predict_linear|or|instance|operation|reason|code|status|status_class|kind|result|state|store|job)\b/;

  /** Returns the metrics that an expression names: every word outside of strings, label matchers and ranges. */
  const metricsIn = (expression: string): string[] => {
    const bare = expression
      .replaceAll(/"[^"]*"/g, "")
      .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, " ")
      .replaceAll(/\$\w+/g, "");
    return [...bare.matchAll(/\b[a-z]\w*\b/g)].map(([word]) => word).filter((word) => !WORDS.test(word));
  };

  async function unknownIn(expressions: string[]): Promise<string[]> {
    const families = await scrape();
    const known = new Set(
      [...families].flatMap(([name, { type }]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
    const named = expressions.flatMap((expression) => {
      const found = metricsIn(expression);
      expect(found.length, expression).toBeGreaterThan(0);
      return found;
    });
    return named.filter((name) => !known.has(name) && !OF_PROMETHEUS.has(name));
  }

  test("every metric of the dashboard is in a scrape", async () => {
    const { panels } = JSON.parse(readFileSync("distribution/grafana/svc.json", "utf8")) as {
      panels: { id: number; type: string; title: string; targets?: { expr: string }[] }[];
    };
    const drawn = panels.filter(({ type }) => type !== "row");
    expect(drawn.length).toBeGreaterThan(20);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(await unknownIn(drawn.flatMap(({ targets }) => targets!.map(({ expr }) => expr)))).toEqual([]);
  });

  test("every metric of the alerts is in a scrape, and each alert says what to do", async () => {
    const { groups } = parse(readFileSync("distribution/prometheus/alerts.yml", "utf8")) as {
      groups: {
        rules: {
          alert: string;
          expr: string;
          labels: { severity: string };
          annotations: { summary: string; description: string };
        }[];
      }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(labels.severity).toMatch(/^(page|ticket)$/);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.description).toMatch(/\.$/);
    }
    expect(await unknownIn(rules.map(({ expr }) => expr))).toEqual([]);
  });
});
