import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal, send } from "../support/request.ts";
import { until } from "../support/until.ts";
import { openWorld, type World } from "../support/world.ts";

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.stop());

const reads = (key: string) => send(w.url, { method: "GET", path: "/v1/organization", key });

describe("the end of a key", () => {
  const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();
  const create = (key: string, json: object) => send(w.url, { method: "POST", path: "/api/keys", key, json });

  test("the end is in the future and at most five years away, in any offset", async () => {
    for (const expires_at of ["2020-01-01T00:00:00Z", inDays(5 * 366 + 1), "tomorrow", "2030-01-01"]) {
      const { details } = expectRefusal(await create(w.adminKey, { expires_at }), "unprocessable");
      expect(details).toMatchObject({ issues: [{ path: "expires_at" }] });
    }
    const year = new Date().getUTCFullYear() + 1;
    const { expires_at } = await w.admin.keys.create({ expires_at: `${year}-06-01T02:00:00+02:00` });
    expect(expires_at).toBe(`${year}-06-01T00:00:00.000Z`);
    expect((await w.admin.keys.create()).expires_at).toBeNull();
  });

  test("each answer to a key with an end says how many seconds are left", async () => {
    const { secret } = await w.admin.keys.create({ expires_at: inDays(2) });
    const left = Number((await reads(secret)).headers.get("svc-key-expires-in"));
    expect(left).toBeGreaterThan(2 * 86_400 - 600);
    expect(left).toBeLessThanOrEqual(2 * 86_400);
    expect((await reads(w.adminKey)).headers.get("svc-key-expires-in")).toBeNull();
  });

  test("a key stops at its end, in the middle of its use, with a sentence of its own", async () => {
    const { secret, expires_at } = await w.admin.keys.create({ expires_at: new Date(Date.now() + 500).toISOString() });
    const statuses = new Set<number>();
    const ended = await until("the key has expired", async () => {
      const reply = await reads(secret);
      statuses.add(reply.status);
      return reply.status === 401 && reply;
    });
    expect(new Date(expires_at!) <= new Date()).toBe(true);
    expect(statuses).toEqual(new Set([200, 401]));
    expect(expectRefusal(ended, "not_authenticated").message).toContain(`expired at ${expires_at}`);
    expect(expectRefusal(await reads(w.expiredKey), "not_authenticated").message).toContain("expired at");
  });

  test("a key with an end makes only keys that end with it or earlier", async () => {
    const own = inDays(20);
    const { secret } = await w.admin.keys.create({ expires_at: own });
    expect((await w.clientOf(secret).keys.create()).expires_at).toBe(own);
    expect((await w.clientOf(secret).keys.create({ expires_at: inDays(5) })).expires_at! < own).toBe(true);
    expectRefusal(await create(secret, { expires_at: inDays(21) }), "not_permitted");
  });

  test("an admin sees the keys that expire within ten days as one condition, until they are revoked", async () => {
    const stranger = w.clientOf(w.stranger.key);
    const condition = async () =>
      (await stranger.conditions.list()).conditions.find(({ code }) => code === "api_keys_expire");
    await stranger.keys.create({ name: "late", expires_at: inDays(11) });
    expect(await condition()).toBeUndefined();
    const soon = await stranger.keys.create({ name: "soon", expires_at: inDays(9) });
    const sooner = await stranger.keys.create({ name: "sooner", expires_at: inDays(3) });
    expect(await condition()).toMatchObject({ count: 2, degrades: false, needsAction: true, projectId: null });
    expect((await condition())!.message).toMatch(/"sooner" at .*"soon" at /);
    expect((await w.admin.conditions.list()).conditions.filter(({ message }) => message.includes("sooner"))).toEqual(
      [],
    );
    for (const { id } of [soon, sooner]) await stranger.keys.revoke({ apiKeyId: id });
    expect(await condition()).toBeUndefined();
  });
});
