import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeJson, oneSpan } from "../support/otlp.ts";
import { type Ask, expectRefusal, send } from "../support/request.ts";
import { openWorld, type World } from "../support/world.ts";
import { needsProcess } from "../support/in-process.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

describe("the project of a request", () => {
  const list = (credential: Partial<Ask>, project?: string) =>
    send(w.url, {
      method: "GET",
      path: `/api/tests${project === undefined ? "" : `?project=${encodeURIComponent(project)}`}`,
      ...credential,
    });

  test("the project of a request is selected by id or by exact name", async () => {
    const made = await w.admin.tests.create({
      name: "at night",
      scenario: "x",
      expected_behaviors: ["x"],
      project: "Night shift",
    });
    expect(made.project_id).toBe(w.otherProject.id);
    for (const named of [w.otherProject.id, "Night shift"]) {
      expect((await w.admin.tests.list({ project: named })).items.map(({ id }) => id)).toContain(made.id);
    }
  });

  test.each(["night shift", "Night shift ", "Night", "%"])(
    "the project of a request is not selected by the inexact name %j",
    async (name) => {
      expectRefusal(await list({ key: w.adminKey }, name), "not_found");
    },
  );

  test("the project of a request is the one with this id when another project has the id as its name", async () => {
    const { project: impostor } = await w.admin.projects.create({ name: w.otherProject.id });
    const made = await w.admin.tests.create({
      name: "id first",
      scenario: "x",
      expected_behaviors: ["x"],
      project: w.otherProject.id,
    });
    expect(made.project_id).toBe(w.otherProject.id);
    expect(made.project_id).not.toBe(impostor.id);
  });

  test("the project of a request is the organization's only project when the request names none", async () => {
    const made = await w.stranger.client.tests.create({ name: "only", scenario: "x", expected_behaviors: ["x"] });
    expect(made.project_id).toBe(w.strangersProject.id);
  });

  test("the project of a request must be named when the credential may see several", async () => {
    for (const credential of [{ key: w.adminKey }, { cookie: w.viewer.cookie }]) {
      const { details } = expectRefusal(await list(credential), "invalid_request");
      expect(details).toMatchObject({ issues: [{ path: "project" }] });
    }
  });

  test("a request with a project's key is always for this project, whether the request names it or not", async () => {
    for (const named of [undefined, w.project.id, w.project.name])
      expect((await list({ key: w.projectKey }, named)).status).toBe(200);
    for (const named of [w.otherProject.id, w.otherProject.name, w.strangersProject.id, "no such project"]) {
      expectRefusal(await list({ key: w.projectKey }, named), "not_permitted");
    }
  });

  test("the project of a request is not found in another organization, by id or by name", async () => {
    expectRefusal(await list({ key: w.adminKey }, w.strangersProject.id), "not_found");
    expectRefusal(await list({ key: w.stranger.key }, w.otherProject.name), "not_found");
  });

  test("the project of a request is named in `projectId` by a refusal under /v1", async () => {
    const reply = await send(w.url, { method: "GET", path: "/v1/agents", key: w.adminKey });
    const { details, message } = expectRefusal(reply, "invalid_request");
    expect(details).toMatchObject({ issues: [{ path: "projectId" }] });
    expect(message).toContain("`projectId`");
  });

  test("the project of a request is the one that has the trace, and must be named when several have it", async (context) => {
    needsProcess(context);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const span = { body: encodeJson(oneSpan({ traceId })), contentType: "application/json" as const };
    const get = (projectId?: string) =>
      send(w.url, {
        method: "GET",
        path: `/v1/traces/${traceId}${projectId === undefined ? "" : `?projectId=${projectId}`}`,
        key: w.adminKey,
      });
    expectRefusal(await get(), "not_found");
    await w.client.traces.ingest(span);
    await w.spansLoaded();
    expect((await get()).status).toBe(200);
    expectRefusal(await get(w.otherProject.id), "not_found");

    await w.clientOf(w.otherProjectKey).traces.ingest(span);
    await w.spansLoaded();
    expect(expectRefusal(await get(), "invalid_request").details).toMatchObject({ issues: [{ path: "projectId" }] });
    for (const { id } of [w.project, w.otherProject]) expect((await get(id)).status).toBe(200);
  });

  test("the project of a request must be named for a shipped persona, because every project has it", async () => {
    const { personas } = await w.client.personas.list();
    const { id: personaId } = personas.find(({ source }) => source === "shipped")!;
    const path = `/v1/personas/${personaId}`;
    expectRefusal(await send(w.url, { method: "GET", path, key: w.adminKey }), "invalid_request");
    expect((await w.admin.personas.get({ personaId, projectId: w.otherProject.id })).persona.id).toBe(personaId);
    expect((await w.client.personas.get({ personaId })).persona.id).toBe(personaId);
  });

  test("a project key sees only its project in lists", async () => {
    const { projects, mayManageProjects } = await w.client.projects.list();
    expect(projects.map(({ id }) => id)).toEqual([w.project.id]);
    expect(mayManageProjects).toBe(false);
  });
});
