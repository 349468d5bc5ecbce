import type { ApiRun, LineCondition, Run, RunEvent, Simulation, Verdict } from "@svc/contract";
import { type Client, followRun } from "@svc/sdk";
import { expect } from "vitest";
import { type Answer, startChatAgent } from "./chat-agent.ts";
import { jsonOf, send } from "./request.ts";
import type { TestServer } from "./server.ts";
import { until } from "./until.ts";
import { aTest, freshName } from "./world.ts";

type NewConnection = Omit<Parameters<Client["connections"]["create"]>[0], "agentId">;

async function agentWith(client: Client, wanted: NewConnection) {
  const { agent } = await client.agents.register({ name: freshName("agent") });
  const { connection } = await client.connections.create({ agentId: agent.id, ...wanted });
  return { agentId: agent.id, connectionId: connection.id };
}

/** Registers an agent behind a chat endpoint, with its connection. */
export const chatConnection = (client: Client, url: string, format: "svc" | "openai" = "svc") =>
  agentWith(client, {
    name: "chat",
    connectionType: "http_chat",
    accessVariant: "http_chat.public",
    config: { url, format },
  });

/** Registers an agent behind a media stream, with its connection. */
export const voiceConnection = (
  client: Client,
  url: string,
  codec: "mulaw_8k" | "pcm_16k" = "mulaw_8k",
  line?: LineCondition,
) =>
  agentWith(client, {
    name: "voice",
    connectionType: "websocket_audio",
    accessVariant: "websocket_audio.public",
    config: { url, codec, ...(line && { line }) },
  });

/** Registers an agent behind SIP, with its connection. */
export const sipConnection = (
  client: Client,
  config: { uri: string; outboundProxy?: string; account?: string; line?: string },
  credential?: { user: string; password: string },
) =>
  agentWith(client, {
    name: "sip",
    connectionType: "sip",
    accessVariant: credential ? "sip.digest" : "sip.public",
    config,
    ...(credential && { credential }),
  });

/** Registers an agent behind a telephone number, with its connection. */
export const phoneConnection = (client: Client, config: { phoneNumber: string; trunk?: string }) =>
  agentWith(client, { name: "phone", connectionType: "phone_number", config });

/** Registers an agent whose worker joins rooms of a media server, with the key of its project. */
export const roomConnection = (
  client: Client,
  { url, apiKey, apiSecret }: { url: string; apiKey: string; apiSecret: string },
  config: { agentName?: string; metadata?: string } = {},
) =>
  agentWith(client, {
    name: "room",
    connectionType: "platform_b_room",
    accessVariant: "platform_b_room.project_credentials",
    config: { url, ...config },
    credential: { apiKey, apiSecret },
  });

/** Registers an agent that a customer's token endpoint brings into rooms of a media server. */
export const endpointRoomConnection = (
  client: Client,
  url: string,
  { url: tokenEndpoint, headers }: { url: string; headers: Record<string, string> },
) =>
  agentWith(client, {
    name: "room",
    connectionType: "platform_b_room",
    accessVariant: "platform_b_room.customer_token_endpoint",
    config: { url, tokenEndpoint },
    credential: { headers },
  });

/** Registers an agent whose process the client starts. */
export const consoleConnection = (client: Client) =>
  agentWith(client, {
    name: "console",
    connectionType: "platform_b_console",
    accessVariant: "platform_b_console.process",
    config: { command: "node agent.js" },
  });

/** Waits until a run's one simulation is open, and returns its start parameters. */
export const bridgeStarted = (client: Client, runId: string) =>
  until("the conversation is open", async () => {
    const { simulations } = await client.runs.simulations({ runId });
    const simulationId = simulations[0]!.id;
    const { attempt, tools } = await client.simulations.bridge({ simulationId, starting: true });
    return tools && { simulationId, attempt, tools };
  });

/** Starts a run against an address at which nothing listens, and returns the id of its one simulation. */
export async function unreachedSimulation(client: Client): Promise<string> {
  const { version_id } = await client.tests.create(aTest());
  const run = await startRun(client, {
    testVersions: [version_id],
    ...(await chatConnection(client, "http://127.0.0.1:9/")),
  });
  const { simulations } = await client.runs.simulations({ runId: run.id });
  return simulations[0]!.id;
}

export type Scenario = { scenario: string; behaviors: string[]; mockTools?: object[]; personas?: string[] };

/** Creates tests with unique names and returns their version ids. */
export async function versionsOf(client: Client, scenarios: readonly Scenario[]): Promise<string[]> {
  const made = [];
  for (const { scenario, behaviors, mockTools = [], personas = [] } of scenarios) {
    const wanted = { scenario, expected_behaviors: behaviors, mock_tools: mockTools as never, personas };
    made.push((await client.tests.create(aTest(wanted))).version_id);
  }
  return made;
}

export type NewRun = Parameters<Client["runs"]["create"]>[0];

export async function startRun(client: Client, run: NewRun): Promise<Run> {
  const answer = await client.runs.create(run);
  if (!("run" in answer)) throw new Error("the service answered with a plan instead of a run");
  return answer.run;
}

/** Starts a run by the operation under `/api`, in snake_case. Typed clients have only the operation under `/v1`. */
export async function startApiRun(server: Pick<TestServer, "url" | "projectKey">, json: object): Promise<ApiRun> {
  const reply = await send(server.url, { method: "POST", path: "/api/runs", key: server.projectKey, json });
  expect(reply.status, reply.text).toBe(201);
  return jsonOf<ApiRun>(reply);
}

/** Waits until the run has ended and every simulation is graded. */
export async function settled(client: Client, runId: string, timeoutMs?: number): Promise<Run> {
  return until(
    "the run is settled",
    async () => {
      const { run } = await client.runs.get({ runId });
      if (!run.gradingSettled) throw new Error(`${run.status}, ${run.pendingVerdicts} verdicts outstanding`);
      return run;
    },
    timeoutMs,
  );
}

export async function simulationsOf(client: Client, runId: string): Promise<Simulation[]> {
  const { simulations } = await client.runs.simulations({ runId, pageSize: 200 });
  return Promise.all(
    simulations.map(async ({ id }) => (await client.simulations.get({ simulationId: id })).simulation),
  );
}

export const played = async (server: Pick<TestServer, "client">, runId: string) => {
  const run = await settled(server.client, runId);
  return { run, simulations: await simulationsOf(server.client, runId) };
};

/** Follows a run to its end and returns all its events. */
export async function followed(client: Client, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of followRun(client, runId)) events.push(event);
  return events;
}

type PlayedTest = Pick<
  Parameters<Client["tests"]["create"]>[0],
  "name" | "scenario" | "expected_behaviors" | "mock_tools"
>;

/** Plays tests with the scripted caller against a chat agent, and returns the verdict of each test by its name. */
export async function verdictsByTest(
  client: Client,
  wanted: readonly PlayedTest[],
  answer: Answer,
): Promise<Record<string, Verdict | null>> {
  const agent = await startChatAgent(answer);
  const { tests } = await client.tests.import({
    tests: wanted.map(({ name, scenario, expected_behaviors, mock_tools }) => ({
      name: `${name} ${agent.url}`,
      scenario,
      expected_behaviors,
      mock_tools,
    })),
  });
  const run = await startRun(client, {
    ...(await chatConnection(client, agent.url)),
    testVersions: tests.map(({ version_id }) => version_id!),
    caller: "scripted",
  });
  await settled(client, run.id);
  const simulations = await simulationsOf(client, run.id);
  agent.stop();
  return Object.fromEntries(simulations.map(({ testName, verdict }) => [testName.split(" http")[0]!, verdict]));
}

/** Registers an agent that calls the service at a SIP account. */
export const incomingConnection = (
  client: Client,
  config: { account: string; callers: string } & Record<string, string>,
  credential?: { user: string; password: string; dialKey?: string },
) =>
  agentWith(client, {
    name: "incoming",
    connectionType: "incoming_call",
    accessVariant: credential ? "incoming_call.digest" : "incoming_call.public",
    config,
    ...(credential && { credential }),
  });
