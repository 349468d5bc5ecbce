import { expect, test } from "vitest";
import { answers, fakeEndpoint, refuses } from "../support/language-model/fake-endpoint.ts";
import { settled } from "../support/runs.ts";
import { startServer } from "../support/server.ts";

test("the service shows its version and settings to every role, without a secret, and the credential's rate limit", async () => {
  const secret = "sk-0123456789-not-to-be-shown";
  const server = await startServer({
    settings: {
      SVC_RATE_LIMIT_PER_MINUTE: "50",
      SVC_RETENTION_DAYS: "30",
      SVC_LLM_BASE_URL: "http://127.0.0.1:1/v1",
      SVC_LLM_API_KEY: secret,
      SVC_LLM_MODEL: "m-1",
      SVC_SMTP_URL: `smtp://user:${secret}@127.0.0.1:1`,
      SVC_MAIL_FROM: "svc@example.test",
    },
  });
  try {
    const { service } = await server.client.service.get({});
    expect(service).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      languageModel: { model: "m-1", hasPrices: false },
      mail: true,
      openSignUp: false,
      outboundPrivate: true,
      retentionDays: 30,
      ingestPerMinute: null,
      rateLimit: { perMinute: 50 },
    });
    expect(JSON.stringify(service)).not.toContain(secret);
    const { service: later } = await server.client.service.get({});
    expect(later.rateLimit.remaining).toBe(service.rateLimit.remaining - 1);
    expect(later.rateLimit.resetSeconds).toBeGreaterThan(0);
  } finally {
    await server.stop();
  }
});

test("a project's usage counts its runs in the period, and the judge's work for them", async () => {
  const server = await startServer();
  try {
    const { client } = server;
    const { sample } = await client.sample.start({});
    const run = await settled(client, sample.runId);
    const none = { judgeRequests: 0, judgeInputTokens: 0, judgeCost: 0, runsWithoutCost: 0 };
    const { usage } = await client.runs.usage({});
    expect(usage).toMatchObject({ runs: 1, ...none });
    expect(Date.parse(usage.to) - Date.parse(usage.from)).toBe(30 * 86_400_000);
    expect((await client.runs.usage({ to: run.createdAt })).usage.runs).toBe(0);
    expect((await client.runs.usage({ from: run.createdAt })).usage.runs).toBe(1);
    await expect(client.runs.usage({ from: usage.to, to: usage.from })).rejects.toMatchObject({ status: 400 });
  } finally {
    await server.stop();
  }
});

test("the checks ask the language model and name its failure with the remedy, and only admins may ask", async () => {
  const model = await fakeEndpoint(answers("OK"), refuses(401));
  const { baseUrl, apiKey, model: name } = model.settings;
  const settings = { SVC_LLM_BASE_URL: baseUrl, SVC_LLM_API_KEY: apiKey, SVC_LLM_MODEL: name };
  const server = await startServer({ settings });
  try {
    const checkOf = async () => {
      const { checks } = await server.admin.service.check();
      return checks.find((check) => check.name === "language model");
    };
    expect(await checkOf()).toMatchObject({
      state: "ok",
      finding: expect.stringContaining(`"${name}" answers in`),
      remedy: null,
    });
    expect(await checkOf()).toMatchObject({
      state: "wrong",
      finding: expect.stringContaining("refuses the key (401)"),
      remedy: expect.stringContaining("svc language-model show"),
    });
    await expect(server.client.service.check()).rejects.toMatchObject({ code: "not_permitted" });
  } finally {
    await server.stop();
    model.stop();
  }
});

test("the checks ask each speech provider for which the organization has a key", async () => {
  const server = await startServer();
  try {
    expect((await server.admin.service.check()).checks).toContainEqual({
      name: "speech providers",
      state: "note",
      finding: "none has a key: callers speak with the built-in voices",
      remedy: "To add one, run `svc provider-keys set PROVIDER`.",
      mend: "To add one, run `svc provider-keys set PROVIDER`.",
    });
    await server.admin.providerKeys.set({ provider: "cartesia", apiKey: "sk_car_0123456789abcdef" });
    const { checks } = await server.admin.service.check();
    expect(checks.find(({ name }) => name === "speech provider cartesia")).toMatchObject({
      state: "wrong",
      remedy: expect.stringContaining("svc provider-keys set cartesia"),
    });
    expect(checks.map(({ name }) => name)).not.toContain("speech providers");
  } finally {
    await server.stop();
  }
});
