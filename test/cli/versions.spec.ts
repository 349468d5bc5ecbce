import type { VersionComparison } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHome } from "../support/cli.ts";
import { shareServer, type SharedServer } from "../support/shared-server.ts";
import { sendCalls, type VersionedCall } from "../support/versioned-calls.ts";

const CALLS = 25;

let server: SharedServer;
let home: ReturnType<typeof openHome>;
beforeAll(async () => {
  server = await shareServer();
  home = openHome({ SVC_URL: server.url, SVC_API_KEY: server.projectKey });
});
afterAll(async () => {
  await server?.stop();
  home?.remove();
});

const compare = (...more: string[]) => ["compare", "--agent", "Hotel", "--version", "41", "--with", "42", ...more];
const printed = async (args: string[]) => {
  const { exitCode, stdout, stderr } = await home.svc(args);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
};

describe("before any conversation names a version", () => {
  test("the list of versions says how to name one", async () => {
    expect(await printed(["agents", "versions"])).toContain("SVC_AGENT_VERSION");
  });

  test("a comparison says that there is nothing to compare", async () => {
    const text = await printed(compare());
    expect(text).toContain("Nothing to compare.");
    expect(text).toContain("No production conversation of Hotel with the version 41");
  });
});

describe("two versions in production", () => {
  beforeAll(async () => {
    const startMs = Date.now() - 86_400_000;
    const calls = ["41", "42"].flatMap((version, at) =>
      Array.from({ length: CALLS }, (_, call): VersionedCall => {
        const latencyMs = Array.from(
          { length: 6 },
          (_, turn) => (version === "42" ? 1_500 : 700) + call * 5 + turn * 10,
        );
        return { trace: 1 + at * CALLS + call, version, startMs: startMs + call * 1_000_000 + at, latencyMs };
      }),
    );
    await sendCalls(server, server.client, calls);
  });

  test("the versions of an agent are listed with their times", async () => {
    const text = await printed(["agents", "versions", "--agent", "Hotel"]);
    expect(text).toMatch(/^AGENT +VERSION +FIRST SEEN +LAST SEEN\nHotel +42 +2\S+ \S+ UTC +\S.*\nHotel +41 /);
    expect(await home.json(["agents", "versions", "--agent", "Taxi"])).toEqual({ items: [], isMore: false });
  });

  test("a comparison prints what differs, and says how many quantities do not", async () => {
    const text = await printed(compare());
    expect(text).toMatch(/^The version 42 is, beside 41, worse: Response latency p50/);
    expect(text).toContain("no proof of its cause");
    expect(text).toMatch(/\nworse +Response latency p95 +\d+ ms \(n 150\) +1\.\d s \(n 150\)/);
    expect(text).toMatch(/\d+ more quantities without a difference: --all prints them\./);
    expect(text).not.toContain("Conversations with an error  ");
    expect(await printed(compare("--all"))).toMatch(/\nno difference shown +Conversations with an error/);
  });

  test("--json has everything, and a shorter period has less", async () => {
    const whole = await home.json<VersionComparison>(compare("--days", "7"));
    expect(whole).toMatchObject({ agentName: "Hotel", differs: true, first: { version: "41", conversations: CALLS } });
    const part = await home.json<VersionComparison>(compare("--from", "2h", "--to", "1h"));
    expect(part.first.conversations).toBeLessThan(CALLS);
  });

  test("lists and metrics take a version", async () => {
    const list = await home.json<{ items: unknown[] }>(["traces", "list", "--agent-version", "42", "--limit", "100"]);
    expect(list.items).toHaveLength(CALLS);
    const text = await printed(["metrics", "--measure", "response_latency", "--by-version", "--bucket", "day"]);
    expect(text).toMatch(/^AGENT +VERSION +MEASURE /);
    expect(text).toMatch(/\nHotel +41 +Response latency +150 /);
  });

  test("a version beside itself, a missing flag and two periods are a wrong command line", async () => {
    const wrong = async (args: string[], said: string) => {
      const { exitCode, stderr } = await home.svc(args);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
    };
    await wrong(["compare", "--agent", "Hotel", "--version", "41", "--with", "41"], "two different versions");
    await wrong(["compare", "--agent", "Hotel", "--version", "41"], "--with");
    await wrong(compare("--days", "1", "--from", "2d"), "--from");
  });

  test("a project names the attribute of its versions, and takes it back", async () => {
    const admin = openHome({ SVC_URL: server.url, SVC_API_KEY: server.adminKey });
    const edit = (attribute: string) =>
      admin.svc(["projects", "edit", server.project.id, "--version-attribute", attribute]);
    expect((await edit("deployment.ring")).stdout).toContain("deployment.ring has the version of its agents");
    expect((await edit("none")).stdout).not.toContain("deployment.ring");
    admin.remove();
  });
});
