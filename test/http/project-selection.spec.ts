import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ask, expectRefusal, send } from "../support/request.ts";
import { openWorld, type World } from "../support/world.ts";

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

  test("the project of a request is always the project of a project key, named or not", async () => {
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

  test("a project key sees only its project in lists", async () => {
    const { projects, mayManageProjects } = await w.client.projects.list();
    expect(projects.map(({ id }) => id)).toEqual([w.project.id]);
    expect(mayManageProjects).toBe(false);
  });
});
