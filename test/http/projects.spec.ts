import { LIMITS, pages } from "@svc/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshName, openWorld, type World } from "../support/world.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

test("a project is created and read, and its name and slug change independently", async () => {
  const name = freshName("Front Desk");
  const { project } = await w.admin.projects.create({ name: ` ${name} ` });
  expect(project).toMatchObject({ name, slug: name.toLowerCase().replaceAll(" ", "-") });
  expect((await w.admin.projects.list({ pageSize: 1 })).projects).toEqual([project]);
  const renamed = (await w.admin.projects.edit({ projectId: project.id, name: `${name} 2` })).project;
  expect(renamed).toMatchObject({ id: project.id, name: `${name} 2`, slug: project.slug });
  const moved = (await w.admin.projects.edit({ projectId: project.id, slug: "back-desk" })).project;
  expect(moved).toMatchObject({ name: `${name} 2`, slug: "back-desk" });
});

test.each([
  ["Ärzte & Zähne", "arzte-zahne"],
  ["予約", "project"],
  ["--", "project-2"],
  ["x".repeat(200), "x".repeat(60)],
])("the name %j makes the slug %s", async (name, slug) => {
  expect((await w.admin.projects.create({ name })).project.slug).toBe(slug);
});

test("an admin sets how many days a project's conversations stay, and removes the limit", async () => {
  const name = freshName("retained");
  const { project } = await w.admin.projects.create({ name, retentionDays: 90 });
  expect(project.retentionDays).toBe(90);
  const edit = async (retentionDays?: number | null) =>
    (await w.admin.projects.edit({ projectId: project.id, retentionDays })).project;
  expect(await edit(1)).toMatchObject({ name, slug: project.slug, retentionDays: 1 });
  expect((await w.admin.projects.edit({ projectId: project.id, name })).project.retentionDays).toBe(1);
  expect((await edit(null)).retentionDays).toBeNull();
  for (const days of [0, -1, LIMITS.retentionDays + 1])
    await expect(edit(days), String(days)).rejects.toMatchObject({ status: 422 });
  await expect(edit(1.5)).rejects.toMatchObject({ status: 400 });
  await expect(w.member.client.projects.edit({ projectId: project.id, retentionDays: 1 })).rejects.toMatchObject({
    status: 403,
  });
  expect((await w.admin.projects.create({ name: freshName("endless") })).project.retentionDays).toBeNull();
});

test("projects whose names give the same slug get numbered slugs", async () => {
  const slugs = [];
  for (const name of ["One two", "One, two", "one-two"])
    slugs.push((await w.admin.projects.create({ name })).project.slug);
  expect(slugs).toEqual(["one-two", "one-two-2", "one-two-3"]);
});

test("two organizations may use the same name and slug", async () => {
  const { project } = await w.admin.projects.create({ name: "Shared" });
  expect((await w.stranger.client.projects.create({ name: "Shared" })).project).toMatchObject({ slug: project.slug });
});

test("the list shows every project of the organization, newest first, and whether the caller may manage", async () => {
  for (let n = 0; n < 4; n++) await w.admin.projects.create({ name: freshName("listed") });
  const seen: string[] = [];
  for await (const { id } of pages(w.admin.projects.list, { pageSize: 2 })) {
    seen.push(id);
  }
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
  expect(seen).toEqual(expect.arrayContaining([w.project.id, w.otherProject.id]));
  expect(seen).not.toContain(w.strangersProject.id);
  const may = async (client: typeof w.admin) => (await client.projects.list({ pageSize: 1 })).mayManageProjects;
  expect(await may(w.admin)).toBe(true);
  expect(await may(w.adminSession)).toBe(true);
  expect(await may(w.member.client)).toBe(false);
  expect(await may(w.viewer.client)).toBe(false);
});
