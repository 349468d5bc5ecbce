import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { answerJson, type Received } from "../support/fake-service.ts";
import { openFakeClient, failureOf } from "../support/sdk-client.ts";

describe("retries", () => {
  const busyOnce = () => {
    let asked = 0;
    return (_: Received, response: ServerResponse) =>
      ++asked === 1
        ? answerJson(response, 503, { error: "unavailable", message: "Later." }, { "retry-after": "0" })
        : answerJson(response, 200, { keys: [] });
  };

  test("retries repeat reads", async () => {
    const { client, received } = await openFakeClient(busyOnce(), { retries: 2 });
    expect(await client.keys.list()).toEqual({ keys: [] });
    expect(received).toHaveLength(2);
  });

  test("retries never repeat writes, which could take effect twice", async () => {
    const { client, received } = await openFakeClient(busyOnce(), { retries: 2 });
    expect(await failureOf(client.keys.create({ name: "n" }))).toMatchObject({ code: "unavailable" });
    expect(received).toHaveLength(1);
  });

  test("retries repeat a write that carries an idempotency key, because the service runs it once", async () => {
    const run = { testVersions: ["tstv_x"], agentId: "agt_x", connectionId: "con_x", idempotencyKey: "nightly-7" };
    const { client, received } = await openFakeClient(busyOnce(), { retries: 2 });
    expect(await client.runs.create(run)).toEqual({ keys: [] });
    expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["nightly-7", "nightly-7"]);
  });

  test("retries repeat a read whose answer breaks off", async () => {
    let asked = 0;
    const { client, received } = await openFakeClient(
      (_, response) => {
        if (++asked > 1) return answerJson(response, 200, { keys: [] });
        response.writeHead(200, { "content-length": "100" });
        response.write('{"keys":', () => response.socket!.destroy());
      },
      { retries: 1 },
    );
    expect(await client.keys.list()).toEqual({ keys: [] });
    expect(received).toHaveLength(2);
  });

  test("retries wait longer each time, with jitter, so that clients do not return together", async () => {
    const times: number[] = [];
    const { client } = await openFakeClient(
      (_, response) => {
        times.push(performance.now());
        answerJson(response, 503, { error: "unavailable", message: "Later." });
      },
      { retries: 3 },
    );
    await failureOf(client.keys.list());
    const pauses = times.slice(1).map((at, index) => at - times[index]!);
    expect(pauses).toHaveLength(3);
    // The pauses are 300, 600 and 1,200 ms, each multiplied by 0.5 to 1.5. A busy machine can only make them longer.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(150 * 2 ** index - 2);
    expect(new Set(pauses.map((pause, index) => Math.round(pause / 2 ** index))).size).toBeGreaterThan(1);
  });

  test("retries of one call can be switched off", async () => {
    const { client, received } = await openFakeClient(busyOnce(), { retries: 2 });
    expect(await failureOf(client.keys.list({}, { retries: 0 }))).toMatchObject({ code: "unavailable" });
    expect(received).toHaveLength(1);
  });

  test("retries do not happen when Retry-After is longer than ten seconds", async () => {
    const body = { error: "too_many_requests", message: "Wait." };
    const { client, received } = await openFakeClient(
      (_, response) => answerJson(response, 429, body, { "retry-after": "60" }),
      {
        retries: 2,
      },
    );
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 60 });
    expect(received).toHaveLength(1);
  });

  test("retries wait until the date of a Retry-After, and do not happen when it is far away", async () => {
    const body = { error: "unavailable", message: "Later." };
    const at = (ms: number) => new Date(Date.now() + ms).toUTCString();
    let asked = 0;
    const { client, received } = await openFakeClient(
      (_, response) =>
        ++asked === 1
          ? answerJson(response, 503, body, { "retry-after": at(-1_000) })
          : answerJson(response, 503, body, { "retry-after": at(60_000) }),
      { retries: 5 },
    );
    const { retryAfterSeconds } = await failureOf(client.keys.list());
    expect(retryAfterSeconds).toBeGreaterThan(50);
    expect(received).toHaveLength(2);
  });

  test("retries do not begin a wait that would end after timeoutMs: the error of the answer arrives at once", async () => {
    const body = { error: "unavailable", message: "Later." };
    const { client, received } = await openFakeClient(
      (_, response) => answerJson(response, 503, body, { "retry-after": "9" }),
      {
        retries: 2,
        timeoutMs: 5_000,
      },
    );
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "unavailable", retryAfterSeconds: 9 });
    expect(received).toHaveLength(1);
  });

  test("retries repeat a read after a lost connection, even with a fetch whose errors no other runtime has", async () => {
    let asked = 0;
    const { client } = await openFakeClient((_, response) => answerJson(response, 200, { keys: [] }), {
      retries: 1,
      fetch: (input, init) => (++asked === 1 ? Promise.reject(new Error("socket hang up")) : fetch(input, init)),
    });
    expect(await client.keys.list()).toEqual({ keys: [] });
    expect(asked).toBe(2);
  });

  test("an abort ends the wait before a retry at once", async () => {
    const abort = new AbortController();
    const body = { error: "unavailable", message: "Later." };
    const { client, received } = await openFakeClient(
      (_, response) => {
        response.on("close", () => setTimeout(() => abort.abort(new Error("enough")), 50));
        answerJson(response, 503, body, { "retry-after": "9" });
      },
      { retries: 2 },
    );
    await expect(client.keys.list({}, { signal: abort.signal })).rejects.toThrow("enough");
    expect(received).toHaveLength(1);
  });

  test("retries do not delay a declared answer: the 503 of an unhealthy service arrives at once", async () => {
    const health = {
      status: "unavailable",
      degraded: false,
      relational_store: "unreachable",
      analytics_store: "reachable",
    };
    const { client, received } = await openFakeClient((_, response) => answerJson(response, 503, health), {
      retries: 2,
    });
    expect(await client.health.get()).toEqual(health);
    expect(received).toHaveLength(1);
  });

  test("retries end within timeoutMs", async () => {
    const body = { error: "unavailable", message: "Later." };
    const slow = (_: Received, response: ServerResponse) =>
      void setTimeout(() => answerJson(response, 503, body, { "retry-after": "0" }), 150);
    const { client, received } = await openFakeClient(slow, { retries: 50, timeoutMs: 400 });
    await failureOf(client.keys.list());
    expect(received.length).toBeLessThan(10);
  });

  test("retries do not happen after a refusal", async () => {
    const { client, received } = await openFakeClient(
      (_, response) => answerJson(response, 404, { error: "not_found", message: "No." }),
      { retries: 2 },
    );
    await failureOf(client.tests.get({ testId: "tst_x" }));
    expect(received).toHaveLength(1);
  });

  test("retries end with the error of the last answer", async () => {
    const body = { error: "unavailable", message: "Later." };
    const { client, received } = await openFakeClient(
      (_, response) => answerJson(response, 503, body, { "retry-after": "0" }),
      {
        retries: 2,
      },
    );
    expect(await failureOf(client.keys.list())).toMatchObject({ code: "unavailable", status: 503 });
    expect(received).toHaveLength(3);
  });
});
