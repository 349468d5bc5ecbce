import { LIMITS } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsStoreFile } from "../support/engine.ts";
import { whileHeld } from "../support/held-store.ts";
import { type Ask, expectRefusal, send } from "../support/request.ts";
import { startServer } from "../support/server.ts";
import { aConnection, freshName, openWorld, unknownId, type World } from "../support/world.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

/** A record to restore: an archived agent, or an archived connection of an agent that is not archived. */
type Made = { ask: Ask; agentId: string };

async function archivedAgent(): Promise<Made> {
  const projectId = w.project.id;
  const { agent } = await w.admin.agents.register({ name: freshName("agent"), projectId });
  await w.admin.agents.archive({ agentId: agent.id, projectId });
  return { agentId: agent.id, ask: { method: "POST", path: `/v1/agents/${agent.id}/restore?projectId=${projectId}` } };
}

async function archivedConnection(): Promise<Made> {
  const projectId = w.project.id;
  const { agent, connection } = await w.admin.agents.register({
    name: freshName("agent"),
    connection: aConnection(),
    projectId,
  });
  const ids = { agentId: agent.id, connectionId: connection!.id, projectId };
  await w.admin.connections.archive(ids);
  const path = `/v1/agents/${agent.id}/connections/${connection!.id}/restore?projectId=${projectId}`;
  return { agentId: agent.id, ask: { method: "POST", path } };
}

const expectRefused = async (code: Parameters<typeof expectRefusal>[1], ask: Ask) =>
  expectRefusal(await send(w.url, ask), code);

describe.each([
  ["an agent", archivedAgent],
  ["a connection", archivedConnection],
] as const)("restoring %s", (_, make) => {
  let made: Made;
  beforeAll(async () => {
    made = await make();
  });
  const ask = (more: Partial<Ask> = {}): Ask => ({ ...made.ask, key: w.adminKey, json: {}, ...more });

  test("a restore answers 400 with an unknown member", () =>
    expectRefused("invalid_request", ask({ json: { credential: 1 } })));

  test("a restore answers 401 without a credential", () =>
    expectRefused("not_authenticated", { ...made.ask, json: {} }));

  test("a restore answers 403 for a viewer, and for another project's key", async () => {
    await expectRefused("not_permitted", ask({ key: w.viewer.key }));
    await expectRefused("not_permitted", ask({ key: w.otherProjectKey }));
  });

  test("a restore answers 404 for a missing record, and for another organization", async () => {
    await expectRefused(
      "not_found",
      ask({ path: made.ask.path.replaceAll(/(agt|con)_\w+/g, (id) => unknownId(id.slice(0, 3))) }),
    );
    await expectRefused("not_found", ask({ key: w.stranger.key }));
  });

  test("a restore answers 503 while the store is locked, and succeeds afterwards", async (context) => {
    needsStoreFile(context);
    await whileHeld(w.dataDir, () => expectRefused("unavailable", ask()));
    expect((await send(w.url, ask())).status).toBe(200);
  });
});

test("restoring an agent answers 409 under a taken name, and 422 under a blank one", async () => {
  const { ask, agentId } = await archivedAgent();
  const projectId = w.project.id;
  const { agent } = await w.admin.agents.get({ agentId, projectId });
  await w.admin.agents.register({ name: agent.name, projectId });
  await expectRefused("name_taken", { ...ask, key: w.adminKey, json: {} });
  await expectRefused("unprocessable", { ...ask, key: w.adminKey, json: { name: "  " } });
});

test("restoring a connection answers 409 while its agent is archived, and 422 when the agent has the maximum number", async () => {
  const { ask, agentId } = await archivedConnection();
  const projectId = w.project.id;
  await w.admin.agents.archive({ agentId, projectId });
  await expectRefused("parent_agent_archived", { ...ask, key: w.adminKey, json: {} });
  await w.admin.agents.restore({ agentId, projectId });
  const add = () => w.admin.connections.create({ agentId, projectId, ...aConnection() });
  for (let n = 0; n < LIMITS.connectionsPerAgent; n++) await add();
  await expectRefused("unprocessable", { ...ask, key: w.adminKey, json: {} });
});

test("restoring an agent or a connection answers 429 when the organization has reached its limit for this minute", async () => {
  const server = await startServer({ settings: { SVC_RATE_LIMIT_PER_MINUTE: "2" } });
  try {
    const paths = [`/v1/agents/${unknownId("agt")}`, `/v1/agents/${unknownId("agt")}/connections/${unknownId("con")}`];
    const restore = (path: string) =>
      send(server.url, { method: "POST", path: `${path}/restore`, key: server.projectKey, json: {} });
    await restore(paths[0]!);
    for (const path of paths) expectRefusal(await restore(path), "too_many_requests");
  } finally {
    await server.stop();
  }
});
