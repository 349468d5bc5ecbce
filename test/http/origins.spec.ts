import { describe, expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { signUpAsk } from "../support/people.ts";
import { type Ask, expectRefusal, jsonOf, send } from "../support/request.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

const world = useTwoOrganizations();

describe("an unclaimed instance", () => {
  const claim = (url: string, host: string): Ask => ({
    ...signUpAsk("founder@acme.test"),
    headers: { host, "x-svc": url },
  });

  test("an unclaimed instance is claimed only under local host names and the configured address, so that a page with a rebound DNS name cannot claim it", async () => {
    const bare = await openBareService({ SVC_BASE_URL: "https://voice.acme.test" });
    const { request } = await import("node:http");
    const status = (host: string, forwarded?: string) =>
      new Promise<number>((resolve, reject) => {
        const { json, path, method } = claim(bare.url, host);
        const headers = {
          host,
          "content-type": "application/json",
          ...(forwarded !== undefined && { "x-forwarded-host": forwarded }),
        };
        const sent = request(`${bare.url}${path}`, { method, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode!);
        });
        sent.on("error", reject);
        sent.end(JSON.stringify(json));
      });
    for (const host of ["evil.test", "evil.test:3100", "localhost.evil.test", "127.0.0.1.evil.test"])
      expect([host, await status(host)]).toEqual([host, 403]);
    expect(await status("evil.test", "localhost")).toBe(403);
    expect(jsonOf(await send(bare.url, { method: "GET", path: "/api/instance" }))).toEqual({
      claimed: false,
      open_sign_up: false,
      single_sign_on: false,
      mail: false,
    });
    expect(await status("voice.acme.test")).toBe(201);
    expect(jsonOf(await send(bare.url, { method: "GET", path: "/api/instance" }))).toMatchObject({ claimed: true });
    await bare.stop();
  });
});

describe("the origin of a session's request", () => {
  const write = (cookie: string, origin: string, more: Record<string, string> = {}): Ask => ({
    method: "POST",
    path: "/api/keys",
    json: {},
    headers: { cookie, origin, ...more },
  });

  test("a request from http to https is of another origin, and a trusted proxy says which scheme the client used", async () => {
    const https = world.service.url.replace("http:", "https:");
    expectRefusal(await send(world.service.url, write(world.acme.cookie, https)), "not_permitted");
    expect((await send(world.service.url, write(world.acme.cookie, world.service.url))).status).toBe(201);
    const proxied = { "x-forwarded-proto": "https" };
    expect((await send(world.service.url, write(world.acme.cookie, https, proxied))).status).toBe(201);
    expectRefusal(
      await send(world.service.url, write(world.acme.cookie, "http://elsewhere.test", proxied)),
      "not_permitted",
    );
  });

  test("a host that a client names for the proxy changes no address", async () => {
    const named = { "x-forwarded-host": "evil.test", "content-type": "application/json" };
    const reply = await send(world.service.url, { method: "POST", path: "/api/device/code", json: {}, headers: named });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain("evil.test");
    const forged = write(world.acme.cookie, "http://evil.test", { "x-forwarded-host": "evil.test" });
    expectRefusal(await send(world.service.url, forged), "not_permitted");
  });
});
