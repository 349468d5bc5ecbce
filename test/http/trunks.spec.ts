import { LIMITS } from "@svc/contract";
import { pages } from "@svc/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aTrunk } from "../support/operation-resources.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { freshName, unknownId } from "../support/world.ts";

let server: SharedServer;
beforeAll(async () => {
  server = await shareServer();
});
afterAll(() => server.stop());

const CREDENTIAL = { user: "acme", password: "s3cr3t-pa55" };
const add = async (more: object = {}) => (await server.client.trunks.create(aTrunk(more))).trunk;

describe("a trunk", () => {
  test("calls nobody at first, and has limits", async () => {
    const trunk = await add();
    expect(trunk).toMatchObject({
      id: expect.stringMatching(/^trk_/),
      credentialPresent: false,
      credentialsHint: null,
      allowedNumbers: [],
      maxCallSeconds: 300,
      callsPerMinute: 10,
      callsPerDay: 100,
      callsInLastDay: 0,
      revision: 1,
    });
    expect((await server.client.trunks.get({ trunkId: trunk.id })).trunk).toEqual(trunk);
    await server.client.trunks.delete({ trunkId: trunk.id });
    await expect(server.client.trunks.get({ trunkId: trunk.id })).rejects.toMatchObject({ code: "not_found" });
  });

  test("a trunk keeps its credential sealed, which an edit replaces and null removes", async () => {
    const { id: trunkId } = await add({ credential: CREDENTIAL });
    const edit = async (more: object) => (await server.client.trunks.edit({ trunkId, ...more })).trunk;
    const shown = await edit({ maxCallSeconds: 60 });
    expect(shown).toMatchObject({ credentialPresent: true, credentialsHint: "pa55", maxCallSeconds: 60 });
    expect(JSON.stringify(shown)).not.toContain(CREDENTIAL.password);
    expect(await edit({ credential: { ...CREDENTIAL, password: "an0ther-one" } })).toMatchObject({
      credentialsHint: "-one",
    });
    expect(await edit({ credential: null })).toMatchObject({ credentialPresent: false, credentialsHint: null });
    await server.client.trunks.delete({ trunkId });
  });

  test("a stored password does not follow the address to another host", async () => {
    const { id: trunkId, address } = await add({ credential: CREDENTIAL });
    const edit = (more: object) => server.client.trunks.edit({ trunkId, ...more });
    const elsewhere = "sip.elsewhere.example:5060";
    await expect(edit({ address: elsewhere })).rejects.toMatchObject({
      code: "unprocessable",
      details: { issues: [{ path: "credential.user", message: expect.stringContaining("again") }] },
    });
    expect((await edit({ address: address.toUpperCase(), maxCallSeconds: 60 })).trunk.credentialPresent).toBe(true);
    expect((await edit({ address: elsewhere, credential: CREDENTIAL })).trunk).toMatchObject({
      address: elsewhere,
      credentialsHint: "pa55",
    });
    expect((await edit({ address, credential: null })).trunk.credentialPresent).toBe(false);
    expect((await edit({ address: elsewhere })).trunk.address).toBe(elsewhere);
    await server.client.trunks.delete({ trunkId });
  });

  test("a stale edit is refused with the current trunk", async () => {
    const { id: trunkId, revision: expectedRevision } = await add();
    await server.client.trunks.edit({ trunkId, allowedNumbers: ["+4930*"], expectedRevision });
    await expect(
      server.client.trunks.edit({ trunkId, allowedNumbers: ["+4940*"], expectedRevision }),
    ).rejects.toMatchObject({ code: "version_conflict", details: { current: { allowedNumbers: ["+4930*"] } } });
    await server.client.trunks.delete({ trunkId });
  });

  test("a name is taken once in a project", async () => {
    const { id: trunkId, name } = await add();
    await expect(add({ name })).rejects.toMatchObject({ code: "name_taken" });
    await server.client.trunks.delete({ trunkId });
    await server.client.trunks.delete({ trunkId: (await add({ name })).id });
  });

  test.each([
    ["address", "sip:evil@sip.example.com"],
    ["address", "sip.example.com;transport=ws"],
    ["address", "sip.example.com\r\nX: y"],
    ["callerId", "+49 30 1"],
    ["callerId", 'svc"<sip:x@y>'],
    ["callerId", "+493012345678@evil"],
    ["allowedNumbers", ["112"]],
    ["allowedNumbers", ["+4930*", "*"]],
    ["allowedNumbers", ["+1900*"]],
    ["allowedNumbers", ["+493012345678\r\nX: y"]],
    ["maxCallSeconds", 0],
    ["maxCallSeconds", LIMITS.callSecondsMax + 1],
    ["callsPerMinute", 0],
    ["callsPerDay", 1.5],
    ["credential", { user: "acme" }],
    ["credential", { user: "acme", password: "s3cr3t\r\nX: y" }],
  ])("a %s of %j is refused", async (field, value) => {
    await expect(add({ [field]: value })).rejects.toMatchObject({
      details: { issues: [{ path: expect.stringContaining(field) }] },
    });
  });

  test("an allow-list has few entries", async () => {
    const allowedNumbers = Array.from({ length: LIMITS.allowedNumbers + 1 }, (_, n) => `+4930${1_000_000 + n}`);
    await expect(add({ allowedNumbers })).rejects.toMatchObject({ code: "unprocessable" });
  });

  test("a project has few trunks", async () => {
    const ids = [];
    for (let n = 0; n < LIMITS.trunks; n++) ids.push((await add()).id);
    await expect(add()).rejects.toMatchObject({ code: "unprocessable", message: /at most 20 trunks/ });
    const listed = [];
    for await (const trunk of pages(server.client.trunks.list, { pageSize: 7 })) listed.push(trunk.id);
    expect(listed).toEqual(ids.toReversed());
    for (const trunkId of ids) await server.client.trunks.delete({ trunkId });
  });
});

describe("who may use a trunk", () => {
  const keyWith = async (permission: "ingest" | "read" | "test") => {
    const wanted = { name: freshName("key"), project_id: server.project.id, permissions: [permission] };
    return server.clientOf((await server.admin.keys.create(wanted)).secret);
  };

  test.each(["ingest", "read", "test"] as const)(
    "a key with %s creates, edits and deletes none",
    async (permission) => {
      const client = await keyWith(permission);
      const { id: trunkId } = await add();
      await expect(client.trunks.create(aTrunk())).rejects.toMatchObject({ code: "not_permitted" });
      const allowedNumbers = ["+4930*"];
      await expect(client.trunks.edit({ trunkId, allowedNumbers })).rejects.toMatchObject({ code: "not_permitted" });
      await expect(client.trunks.delete({ trunkId })).rejects.toMatchObject({ code: "not_permitted" });
      if (permission === "ingest")
        await expect(client.trunks.list({})).rejects.toMatchObject({ code: "not_permitted" });
      await server.client.trunks.delete({ trunkId });
    },
  );

  test("another project's trunk does not exist", async () => {
    const { id: trunkId } = await add();
    const { project } = await server.admin.projects.create({ name: freshName("project") });
    const { secret } = await server.admin.keys.create({ name: freshName("key"), project_id: project.id });
    const other = server.clientOf(secret);
    const [theirs, nobodys] = await Promise.all(
      [trunkId, unknownId("trk")].map((id) => other.trunks.get({ trunkId: id }).catch((error: Error) => error)),
    );
    expect(theirs).toMatchObject({ code: "not_found", message: (nobodys as Error).message });
    await expect(other.trunks.edit({ trunkId, callsPerDay: 1 })).rejects.toMatchObject({ code: "not_found" });
    await expect(other.trunks.delete({ trunkId })).rejects.toMatchObject({ code: "not_found" });
    expect((await other.trunks.list({})).trunks).toEqual([]);
    await server.client.trunks.delete({ trunkId });
  });
});
