import type { MonitoringSetup } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importProgress } from "../../packages/cli/src/monitoring/import-progress.ts";
import { openHome } from "../support/cli.ts";
import { type Monitored, type MonitoredProject, openMonitored } from "../support/monitoring.ts";
import { withoutTranscript } from "../support/platform-a/calls.ts";

let m: Monitored;
let p: MonitoredProject;
let home: ReturnType<typeof openHome>;

beforeAll(async () => {
  m = await openMonitored({ pace: { retryMs: 3_600_000, retryMaxMs: 3_600_000 } });
  p = await m.project(2);
  home = openHome({ SVC_URL: m.server().url, SVC_API_KEY: p.key });
});
afterAll(async () => {
  await m?.stop();
  home?.remove();
});

const monitoring = (args: string[], stdin?: string) =>
  home.svc(["monitoring", ...args], stdin === undefined ? {} : { stdin });

describe("svc monitoring", () => {
  test("`status` says what to do when no platform is monitored", async () => {
    const { exitCode, stdout } = await monitoring(["status"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("svc monitoring connect")]);
    expect(await home.json(["monitoring", "status"])).toEqual({ setups: [] });
  });

  test("`discover` reads the key from standard input and prints the agents", async () => {
    const { stdout } = await monitoring(["discover"], `${m.fake.apiKey}\n`);
    for (const id of p.agentIds) expect(stdout).toMatch(new RegExp(`^Desk ${id} +${id}$`, "m"));
  });

  test("a key that the platform rejects is refused, and the message says so", async () => {
    const { exitCode, stderr } = await monitoring(["discover"], "key_unknown\n");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("does not accept this API key")]);
  });

  test("`connect` needs --agent or --all without a terminal", async () => {
    const { exitCode, stderr } = await monitoring(["connect"], m.fake.apiKey);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--all")]);
  });

  test(
    "`connect` waits for the calls of the past 30 days, `replay` imports a failed call, and `disconnect` keeps the conversations",
    { timeout: 120_000 },
    async () => {
      const calls = [p.callBefore(5), p.callBefore(60)];
      m.fake.addCalls([calls[0]!, withoutTranscript(calls[1]!)]);
      const connected = await home.svc(
        ["monitoring", "connect", "--agent", p.agentIds[0]!, "--agent", p.agentIds[1]!],
        {
          env: { SVC_PLATFORM_A_API_KEY: m.fake.apiKey },
        },
      );
      expect(connected.stderr).toBe("");
      expect(connected.stdout).toMatch(/health +healthy/);
      expect(connected.stdout).toMatch(new RegExp(`${p.agentIds[0]} +degraded +1 `));
      expect(connected.stdout).toContain(`…${m.fake.apiKey.slice(-4)}`);
      expect(connected.stdout).not.toContain(m.fake.apiKey);

      const { stdout: status } = await monitoring(["status"]);
      const [failure] = /rif_[0-9a-z]{26}/.exec(status)!;
      expect(status).toContain("conversation incomplete");
      const early = await monitoring(["replay", failure!]);
      expect([early.exitCode, early.stderr]).toEqual([1, expect.stringContaining("Replay it later")]);
      m.fake.addCalls(calls);
      expect((await monitoring(["replay", failure!])).stdout).toContain("is now stored");
      expect((await monitoring(["replay", failure!])).stdout).toContain("was already stored");
      const unknown = await monitoring(["replay", "rif_06ft2v8xk3n9q4w7r1y5z0abcd"]);
      expect(unknown.stderr).toContain("svc monitoring status");

      expect((await monitoring(["disconnect", "platform_a"])).exitCode).toBe(2);
      expect((await monitoring(["disconnect", "platform_a", "--yes"])).stdout).toContain("no longer monitored");
      expect(await p.conversations()).toHaveLength(2);
    },
  );

  test("`connect` creates the setup for workers, and says what they need", async () => {
    const { stdout } = await monitoring(["connect", "platform_b-agents"]);
    expect(stdout).toContain("monitor_platform_b(ctx)");
    expect((await monitoring(["disconnect", "platform_b-agents", "--yes"])).exitCode).toBe(0);
  });
});

test.each([
  ["no scan has begun", [["importing", null]], "[--------------------] 0 %, 0 conversations, 0 of 1 agent done"],
  [
    "one agent is half imported",
    [["importing", 15]],
    "[##########----------] 50 %, 7 conversations, 0 of 1 agent done",
  ],
  [
    "one of two agents is imported",
    [
      ["importing", 0],
      ["degraded", 30],
    ],
    "[##########----------] 50 %, 14 conversations, 1 of 2 agents done",
  ],
  ["all agents are imported", [["active", 30]], "[####################] 100 %, 7 conversations, 1 of 1 agent done"],
])("the progress bar of the first 30 days: %s", (_, agents, text) => {
  const day = (days: number) => new Date(Date.UTC(2026, 9, 1 + days)).toISOString();
  const setup = {
    health: { state: "healthy" },
    agents: agents.map(([state, days]) => ({
      state,
      scan:
        days === null ? null : { kind: "first", from: day(0), to: day(30), reached: day(Number(days)), imported: 7 },
    })),
  } as unknown as MonitoringSetup;
  expect(importProgress(setup)).toBe(`First 30 days ${text}`);
});
