import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fakeEndpoint } from "../test/support/language-model/fake-endpoint.ts";

import { attribute, encodeJson, oneSpan } from "../test/support/otlp.ts";
import { aCall } from "../test/support/platform-a/calls.ts";
import { type Ask, send } from "../test/support/request.ts";
import { startRun, versionsOf } from "../test/support/runs.ts";
import { startChatAgent } from "../test/support/chat-agent.ts";
import { until } from "../test/support/until.ts";
import { startAgent } from "./agent.ts";
import { faultsOfRun } from "./loads/runs.ts";
import { type Draws, keyFrom } from "./random.ts";
import { fillWithSamples, openSamplePlatform } from "./sample-data.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf, passwordIn } from "./service.ts";
import { bytesBelow, holds } from "./traces-of-text.ts";
import { keysIn } from "../test/support/secret.ts";

/** A secret that must appear nowhere except in the places that its members name. */
export type Canary = {
  name: string;
  value: string;
  /** One answer gives the secret to the client and may contain it. */
  handedOut?: true;
  /** A file whose content is the secret. */
  file?: string;
  /** A sender put the secret into a span. The service stores the span unchanged, but must never show the secret. */
  stored?: true;
};

export const secrets: Scenario = {
  name: "secrets",
  shows: "no secret of the service, of its people or of other platforms is in an answer, a log line or a file",
  weight: 1,
  trials: "searches for a secret",
  goal: Infinity,
  async run(arena) {
    for (let number = 0; arena.goesOn(); number++) await searchOnce(arena, arena.draws.named(`case ${number}`), number);
  },
};

async function searchOnce(arena: Arena, draws: Draws, number: number): Promise<void> {
  const dataDir = join(arena.folder, `data-${number}`);
  const platform = await openSamplePlatform();
  const platformKey = `key_${draws.hex(24)}`;
  const accessToken = `eyJ${draws.hex(20)}.${draws.hex(40)}.${draws.hex(43)}`;
  platform.addKey(platformKey);
  platform.addCalls([
    aCall({
      seed: 1,
      agentId: "agent_0",
      startMs: Date.now() - 3e6,
      members: { call_type: "web_call", access_token: accessToken },
    }),
  ]);
  const agent = await startAgent(draws.named("agent"));
  const modelKey = `sk-${draws.hex(40)}`;
  // A careless model endpoint repeats the key in its error message.
  const model = await fakeEndpoint(({ authorization }, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${authorization}` } }));
  });
  const bearer = `agent-${draws.hex(40)}`;
  const careless = await startChatAgent((_, response) => {
    response.writeHead(500, { "content-type": "text/plain" }).end(`the key ${bearer} has no access`);
    return null;
  });
  const fromFiles = number % 2 === 0;
  const settings = claimed(draws, {
    SVC_OPEN_SIGNUP: "true",
    SVC_OUTBOUND_PRIVATE: "true",
    SVC_PLATFORM_A_BASE_URL: platform.url,
    SVC_LLM_BASE_URL: model.settings.baseUrl,
    SVC_LLM_API_KEY: modelKey,
    SVC_LLM_MODEL: "a-model",
    SVC_DEEPGRAM_API_KEY: draws.hex(40),
    LOG_LEVEL: "trace",
    ...(!fromFiles && { SVC_AUTH_SECRET: draws.hex(48), SVC_ENCRYPTION_KEY: draws.hex(48) }),
  });
  const canaries: Canary[] = [
    { name: "organization's key", value: keysIn(settings).adminKey },
    { name: "project's key", value: keysIn(settings).projectKey },
    { name: "admin's password", value: passwordIn(settings) },
    { name: "key of the language model", value: modelKey },
    { name: "deployment's key of a speech provider", value: settings["SVC_DEEPGRAM_API_KEY"]! },
    { name: "platform's key", value: platformKey },
    { name: "platform's token of a call", value: accessToken },
    { name: "credential of a connection", value: bearer },
  ];
  const answers: { what: string; text: string }[] = [];
  const restore = recordAnswers(answers);
  try {
    const service = arena.launch({ dataDir, settings });
    const url = await service.serving;
    for (const [file, name] of [
      ["auth-secret", "SVC_AUTH_SECRET"],
      ["encryption-key", "SVC_ENCRYPTION_KEY"],
    ] as const)
      canaries.push(
        fromFiles
          ? { name: file, value: readFileSync(join(dataDir, file), "utf8").trim(), file }
          : { name: file, value: settings[name]! },
      );
    const reads = await fillWithSamples({ url, claim: settings, draws, agent, platform });
    canaries.push(...(await useSecrets(url, settings, draws, { platformKey, bearer, carelessUrl: careless.url })));
    for (const read of reads) await send(url, read);
    await delay(300);
    searchFiles(arena, dataDir, canaries, "while the service runs");
    await service.stop();
    searchFiles(arena, dataDir, canaries, "after the service stopped");
    if (arena.isPlanted) answers.push({ what: "planted", text: modelKey });
    const log = `${service.log.map((line) => JSON.stringify(line)).join("\n")}\n${service.errors()}`;
    for (const { fault, value } of faultsOfLog(log, canaries)) arena.violation(fault, lineWith(service.log, value));
    for (const fault of faultsOfAnswers(answers, canaries)) arena.violation(fault);
    arena.trial(2 * canaries.length);
    arena.count("answers", answers.length);
    arena.count("log lines", service.log.length);
    arena.count("secrets", canaries.length);
  } finally {
    restore();
    agent.stop();
    careless.stop();
    void model.stop();
    await platform.close();
  }
}

/** Uses secrets as careful and careless clients do. Returns the secrets that this created. */
async function useSecrets(
  url: string,
  settings: ReturnType<typeof claimed>,
  draws: Draws,
  { platformKey, bearer, carelessUrl }: { platformKey: string; bearer: string; carelessUrl: string },
): Promise<Canary[]> {
  const { adminKey, projectKey } = keysIn(settings);
  const admin = clientOf(url, adminKey);
  const client = clientOf(url, projectKey);
  const canaries: Canary[] = [];
  const post = (path: string, json: unknown, more: Partial<Ask> = {}) =>
    send(url, { method: "POST", path, json, ...more });

  const made = await admin.keys.create({ name: "made" });
  canaries.push({ name: "key that was created", value: made.secret, handedOut: true });
  const password = `pass ${draws.hex(24)}`;
  canaries.push({ name: "password of a new person", value: password });
  for (const email of ["new@people.test", "new@people.test"]) {
    const signedUp = await post("/api/auth/sign-up/email", { name: "New", email, password });
    canaries.push(...sessionsIn(signedUp.headers));
  }
  const wrong = `pass ${draws.hex(24)}`;
  canaries.push({ name: "wrong password", value: wrong });
  await post("/api/auth/sign-in/email", { email: "new@people.test", password: wrong });
  canaries.push(...sessionsIn((await post("/api/auth/sign-in/email", { email: "new@people.test", password })).headers));
  await send(url, {
    method: "POST",
    path: "/api/auth/sign-in/email",
    body: `{"email": "new@people.test", "password": "${password}" oops`,
    headers: { "content-type": "application/json" },
  });

  const providerKey = draws.hex(40);
  canaries.push({ name: "key of a speech provider", value: providerKey });
  await admin.providerKeys.set({ provider: "cartesia", apiKey: providerKey });
  await post("/api/monitoring/platform_a/discover", { api_key: platformKey }, { key: projectKey });
  await client.monitoring.savePlatformA({ api_key: platformKey, agents: [{ id: "agent_0" }] });
  await post("/api/monitoring/platform_a", { api_key: platformKey, agents: "wrong" }, { key: adminKey });

  const { agent } = await client.agents.register({ name: "Careless" });
  const { connection } = await client.connections.create({
    agentId: agent.id,
    name: "chat",
    connectionType: "http_chat",
    accessVariant: "http_chat.bearer",
    config: { url: carelessUrl, format: "svc" },
    credential: { apiKey: bearer },
  });
  const testVersions = await versionsOf(client, [
    { scenario: "Says: Hello.", behaviors: ["Is kind.", 'says "hello"'] },
  ]);
  const run = await startRun(client, { agentId: agent.id, connectionId: connection.id, testVersions, iterations: 1 });
  await faultsOfRun(client, run.id);
  const { simulations } = await client.runs.simulations({ runId: run.id });
  await client.simulations.get({ simulationId: simulations[0]!.id });

  const slackPath = `T${draws.hex(8)}/B${draws.hex(8)}/${draws.hex(24)}`;
  canaries.push({ name: "address of Slack", value: slackPath });
  // A careless receiver repeats the address in its answer.
  const eventTypes = ["key.created" as const];
  const slack = { name: "Slack", kind: "slack", url: `${carelessUrl}/${slackPath}`, eventTypes } as const;
  const { destination } = await client.destinations.create({ ...slack, eventTypes });
  const webhook = { name: "hook", kind: "webhook", url: "http://127.0.0.1:9/", eventTypes } as const;
  const { destination: hook, secret } = await client.destinations.create({ ...webhook, eventTypes });
  const rotated = await client.destinations.rotateSecret({ destinationId: hook.id });
  canaries.push({ name: "secret of a webhook", value: secret!, handedOut: true });
  canaries.push({ name: "new secret of a webhook", value: rotated.secret, handedOut: true });
  await admin.keys.create({ name: "told", project_id: destination.projectId });
  for (const { id } of [destination, hook]) {
    await client.destinations.test({ destinationId: id });
    await until("an attempt is recorded", async () => {
      const { deliveries } = await client.destinations.deliveries({ destinationId: id });
      return deliveries.some(({ attempts }) => attempts > 0);
    });
    await client.destinations.get({ destinationId: id });
  }
  await client.events.list({});

  const foreign = keyFrom(draws);
  canaries.push({ name: "unknown key", value: foreign });
  for (const headers of [
    { authorization: `Basic ${foreign}` },
    { authorization: foreign },
    { "x-api-key": foreign },
    { cookie: `a=${foreign}` },
  ])
    await send(url, { method: "GET", path: "/v1/projects", headers });
  await send(url, { method: "GET", path: "/v1/projects", key: foreign });
  await send(url, { method: "GET", path: `/v1/traces?search=${foreign}`, key: projectKey });

  const inSpan = keyFrom(draws);
  canaries.push({ name: "key in a span", value: inSpan, stored: true });
  const traceId = draws.hex(32);
  const attributes = [attribute("http.request.header.authorization", `Bearer ${inSpan}`), attribute("api_key", inSpan)];
  await client.traces.ingest({ body: encodeJson(oneSpan({ traceId, attributes })), contentType: "application/json" });
  await until("the span is read", () => client.traces.get({ traceId }));
  return canaries;
}

/** Returns the tokens of the sessions that an answer sets. */
const sessionsIn = (headers: Headers): Canary[] =>
  headers.getSetCookie().flatMap((cookie) => {
    const value = decodeURIComponent(cookie.split(";")[0]!.split("=").slice(1).join("="));
    const token = value.split(".")[0]!;
    return token.length < 16 ? [] : [{ name: "token of a session", value: token, handedOut: true as const }];
  });

function searchFiles(arena: Arena, dataDir: string, canaries: readonly Canary[], when: string): void {
  for (const { file, bytes } of bytesBelow(dataDir)) {
    arena.trial(canaries.length);
    for (const fault of faultsOfFile(file, bytes, canaries))
      arena.violation(`${fault} ${when}`, {}, join(dataDir, file));
  }
}

/** Returns the secrets that a file of the data folder contains. */
export const faultsOfFile = (file: string, bytes: Buffer, canaries: readonly Canary[]): string[] =>
  canaries
    .filter(({ value, file: own, stored }) => stored !== true && file !== own && holds(bytes, value))
    .map(({ name }) => `the file ${file} has the ${name}`);

/** Returns the secrets that the log contains. */
export function faultsOfLog(log: string, canaries: readonly Canary[]): { fault: string; value: string }[] {
  const bytes = Buffer.from(log);
  return canaries
    .filter(({ value }) => holds(bytes, value))
    .map(({ name, value }) => ({ fault: `the log has the ${name}`, value }));
}

/** Returns the secrets that answers contain. One answer may give a secret to the client. */
export function faultsOfAnswers(
  answers: readonly { what: string; text: string }[],
  canaries: readonly Canary[],
): string[] {
  const searchable = answers.map(({ what, text }) => ({ what, bytes: Buffer.from(text) }));
  return canaries.flatMap(({ name, value, handedOut }) => {
    const holding = searchable.filter(({ bytes }) => holds(bytes, value));
    return (handedOut ? holding.slice(1) : holding).map(({ what }) => `the answer to ${what} has the ${name}`);
  });
}

/** Records every answer that this process receives. The returned function ends the recording. */
function recordAnswers(answers: { what: string; text: string }[]): () => void {
  const original = globalThis.fetch;
  globalThis.fetch = async (...call: Parameters<typeof fetch>) => {
    const response = await original(...call);
    const [input, init] = call;
    const [url, method] = input instanceof Request ? [input.url, input.method] : [String(input), init?.method ?? "GET"];
    const text = await response.clone().text();
    answers.push({
      what: `${method} ${new URL(url).pathname}`,
      text: `${JSON.stringify([...response.headers])}\n${text}`,
    });
    return response;
  };
  return () => void (globalThis.fetch = original);
}

const lineWith = (log: readonly object[], value: string) =>
  log.filter((line) => holds(Buffer.from(JSON.stringify(line)), value)).slice(0, 3);
