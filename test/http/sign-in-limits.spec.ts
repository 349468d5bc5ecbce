import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  type CountedAttempts,
  countAttempt,
  GUESSES_PER_HOUR,
} from "../../packages/server/src/tenancy/accounts/attempts.ts";
import { createAttempts } from "../../packages/server/src/tenancy/accounts/store/attempts.ts";
import { createGuesses } from "../../packages/server/src/tenancy/accounts/store/guesses.ts";
import { blockOf } from "../../packages/server/src/http/address-block.ts";
import { createRateLimit } from "../../packages/server/src/http/rate-limit.ts";
import { openStoreOf } from "../support/engine.ts";
import { join, PASSWORD } from "../support/people.ts";
import { expectRefusal } from "../support/request.ts";
import { until } from "../support/until.ts";
import { useTwoOrganizations } from "../support/two-organizations.ts";

const world = useTwoOrganizations();
const { address, ask } = world;

describe("limits of sign-in", () => {
  test("guesses at one account slow down on their network; the owner elsewhere and other accounts are not affected", async () => {
    const [victim, other] = [
      await join(world.service.url, world.acme.client, address(), "viewer"),
      await join(world.service.url, world.acme.client, address(), "viewer"),
    ];
    const from = (address: string, email: string, password: string) =>
      ask({
        method: "POST",
        path: "/api/auth/sign-in/email",
        json: { email, password },
        headers: { "x-forwarded-for": address },
      });
    // On a busy machine, a short wait can end before the next guess. Each round therefore guesses from a new network, and makes one
    // more wrong guess, which doubles the wait.
    let round = 0;
    const slowed = await until("the right password is refused during a wait", async () => {
      const network = `2001:db8:42:${++round}`;
      for (let wrong = 0; wrong < 5 + round;) {
        const guess = await from(`${network}::${wrong + 1}`, victim.email, `guess ${wrong}`);
        if (guess.status === 401) {
          wrong++;
          continue;
        }
        expectRefusal(guess, "too_many_requests");
        await setTimeout(1000 * Number(guess.headers.get("retry-after")));
      }
      const right = await from(`${network}::99`, victim.email, PASSWORD);
      if (right.status === 200) return false;
      expect(expectRefusal(right, "too_many_requests").message).toContain("wrong passwords for this account");
      return network;
    });
    expect((await from("2001:db8:43:1::1", victim.email, PASSWORD)).status).toBe(200);
    expect((await from(`${slowed}::1`, other.email, PASSWORD)).status).toBe(200);
  });

  test("a network that asks by sign-up which addresses have an account waits, even with a new address; other networks sign up", async () => {
    const taken = (await join(world.service.url, world.acme.client, address(), "viewer")).email;
    const from = (network: string, email: string) =>
      ask({
        method: "POST",
        path: "/api/auth/sign-up/email",
        json: { name: "Ada", email, password: PASSWORD },
        headers: { "x-forwarded-for": network },
      });
    // On a busy machine, a short wait can end before the next request. Each round therefore uses another network, and makes one
    // more request.
    let round = 0;
    await until("a new address is refused during a wait", async () => {
      const network = `2001:db8:44:${++round}::1`;
      for (let known = 0; known < 5 + round;) {
        const answer = await from(network, taken);
        if (answer.status === 409) {
          known++;
          continue;
        }
        expectRefusal(answer, "too_many_requests");
        await setTimeout(1000 * Number(answer.headers.get("retry-after")));
      }
      const fresh = await from(network, address());
      if (fresh.status === 201) return false;
      expect(expectRefusal(fresh, "too_many_requests").message).toContain("sign-ups from this network");
      return true;
    });
    expect((await from("2001:db8:45::1", address())).status).toBe(201);
  });

  test("guesses from many networks slow down, but on networks from which the account was opened", async () => {
    const dataDir = mkdtempSync(`${tmpdir()}/svc-guesses-`);
    const { db, close } = await openStoreOf(dataDir);
    const guesses = createGuesses(db);
    await guesses.succeed("ada", "home");
    const failed: boolean[] = [];
    for (let network = 0; network < GUESSES_PER_HOUR; network++) {
      await guesses.begin("ada", `network ${network}`);
      failed.push(await guesses.fail("ada"));
    }
    expect(failed.lastIndexOf(true)).toBe(GUESSES_PER_HOUR - 1);
    expect(failed.indexOf(true)).toBe(GUESSES_PER_HOUR - 1);
    await guesses.begin("ada", "network a");
    await expect(guesses.begin("ada", "network b")).rejects.toMatchObject({
      code: "too_many_requests",
      message: expect.stringContaining("sign in from a network that you used before, or reset the password"),
    });
    await guesses.begin("ada", "home");
    await guesses.begin("bob", "network b");
    expect(await guesses.fail("ada")).toBe(false);
    await close();
    rmSync(dataDir, { recursive: true });
  });

  test("an account that many networks guess at is a condition, and its owner signs in where they did before", async () => {
    const victim = await join(world.service.url, world.acme.client, address(), "viewer");
    const from = (network: string, password: string) =>
      ask({
        method: "POST",
        path: "/api/auth/sign-in/email",
        json: { email: victim.email, password },
        headers: { "x-forwarded-for": `2001:db8:77:${network}::1` },
      });
    expect((await from("ffff", PASSWORD)).status).toBe(200);
    for (let network = 1; network <= GUESSES_PER_HOUR; network++)
      expect((await from(network.toString(16), "a wrong guess")).status).toBe(401);
    const first = await from("aaaa", "a wrong guess");
    const second = await from("aaab", PASSWORD);
    expect([first.status, second.status]).toEqual([401, 429]);
    expect((await from("ffff", PASSWORD)).status).toBe(200);
    const { conditions } = await world.acme.client.conditions.list();
    expect(conditions.map(({ code }) => code)).toContain("guesses_at_account");
    expect(JSON.stringify(conditions)).not.toContain(victim.email);
  });

  test("the wait doubles with each wrong password up to 15 minutes, and is gone after an hour", () => {
    let attempts: CountedAttempts | undefined;
    const begin = (nowMs: number) => {
      try {
        attempts = countAttempt(attempts, nowMs);
        return 0;
      } catch (error) {
        return (error as { retryAfterSeconds: number }).retryAfterSeconds;
      }
    };
    for (let free = 0; free < 5; free++) expect(begin(0)).toBe(0);
    let now = 0;
    const waits: number[] = [];
    for (let at = 0; at < 15; at++) {
      expect(begin(now)).toBe(0);
      waits.push(begin(now + 0.5));
      now += waits.at(-1)! * 1000 + 1;
    }
    expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(Math.max(...waits)).toBe(900);
    now += 3_600_000;
    expect([begin(now), begin(now), begin(now)]).toEqual([0, 0, 0]);
  });

  test("a right password ends the count of the wrong ones before it", async () => {
    const dataDir = mkdtempSync(`${tmpdir()}/svc-attempts-`);
    const { db, close } = await openStoreOf(dataDir);
    const { begin, succeed } = createAttempts(db);
    for (let n = 0; n < 20; n++) {
      await begin("someone");
      if (n % 5 === 4) await succeed("someone");
    }
    for (let n = 0; n < 6; n++) await begin("someone");
    await expect(begin("someone")).rejects.toThrow("Too many wrong passwords");
    await begin("someone else");
    await close();
    rmSync(dataDir, { recursive: true });
  });

  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:ffff::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
  ])("the address %s counts as the network %s", (text, block) => {
    expect(blockOf(text)).toBe(block);
  });

  test("a limit never asks for a longer wait than its window", () => {
    for (let start = 1; start < 100_000; start = start * 1.7 + 0.1) {
      const limit = createRateLimit(1);
      expect(limit.count("a", start).resetSeconds).toBeLessThanOrEqual(60);
    }
  });
});
