import type { RunEvent } from "@svc/contract";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Db } from "../../packages/server/src/stores/relational.ts";
import { callBefore } from "../support/monitoring.ts";
import type { FakePlatformA } from "../support/platform-a/fake.ts";
import { jsonOf } from "../support/request.ts";
import { settled } from "../support/runs.ts";
import { aTest } from "../support/world.ts";
import { listedTimes } from "./listed-times.ts";
import type { Processes } from "./processes.ts";

/** A stream of requests of one kind, which remembers every fact that the service has acknowledged. */
export type Load = {
  /** Sends some requests. */
  round: () => Promise<void>;
  /** Checks that the processes still know every acknowledged fact, and returns numbers to print. */
  verify: () => Promise<Record<string, number>>;
  /** Makes an acknowledged fact false, so that `verify` must reject. */
  plant: (db: Db) => Promise<unknown>;
};

const WRITERS = 20;

/** Creates tests, and lets twenty writers edit one test with the same version. */
export async function editing({ ask, client }: Processes, key: string): Promise<Load> {
  const created: string[] = [];
  const { id: contestedId, version_id } = await client().tests.create(aTest());
  let versionId = version_id;
  let rounds = 0;
  let won = 0;

  async function contest(): Promise<void> {
    const json = { expected_version_id: versionId };
    const replies = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) =>
        ask({ method: "PATCH", path: `/api/tests/${contestedId}`, key, json: { ...json, scenario: `${rounds}.${n}` } }),
      ),
    );
    const winners = replies.filter((reply) => reply?.status === 200);
    rounds++;
    won += winners.length;
    expect(winners.length).toBeLessThanOrEqual(1);
    const present = await ask({ method: "GET", path: `/api/tests/${contestedId}`, key });
    if (present?.status === 200) versionId = jsonOf<{ version_id: string }>(present).version_id;
  }

  return {
    async round() {
      const made = await ask({ method: "POST", path: "/api/tests", key, json: aTest() });
      if (made?.status === 201) created.push(jsonOf<{ id: string }>(made).id);
      await contest();
    },
    async verify() {
      const { test_versions: versions } = await allVersions();
      expect(versions).toBeGreaterThanOrEqual(won + 1);
      expect(versions).toBeLessThanOrEqual(rounds + 1);
      let lost = 0;
      for (const testId of created)
        if ((await ask({ method: "GET", path: `/api/tests/${testId}`, key }))?.status !== 200) lost++;
      expect(lost).toBe(0);
      return { "tests created": created.length, "tests lost": lost, "rounds of 20 writers": rounds, winners: won };
    },
    plant: (db) =>
      db.transaction().execute(async (tx) => {
        await sql`SET LOCAL session_replication_role = replica`.execute(tx);
        await tx.deleteFrom("tests").where("id", "=", created[0]!).execute();
      }),
  };

  async function allVersions(): Promise<{ test_versions: number }> {
    const { version } = await client().tests.get({ testId: contestedId });
    return { test_versions: version };
  }
}

/** Starts runs, and counts how often each of them and of their simulations ended. */
export function running({ ask, client }: Processes, key: string, run: object): Load {
  const runIds: string[] = [];
  return {
    async round() {
      const reply = await ask({ method: "POST", path: "/v1/runs", key, json: run });
      if (reply?.status === 201) runIds.push(jsonOf<{ run: { id: string } }>(reply).run.id);
    },
    async verify() {
      let simulations = 0;
      let starts = 0;
      for (const runId of runIds) {
        const { simulationCount } = await settledCount(runId);
        const ends = await endsOf(runId);
        expect(Object.fromEntries(ends.twice)).toEqual({});
        expect(ends.ended).toBe(simulationCount + 1);
        expect(ends.graded).toBe(simulationCount);
        simulations += simulationCount;
        starts += ends.starts;
      }
      return {
        "runs ended": runIds.length,
        "simulations ended": simulations,
        "conversations started": starts,
        "ended twice": 0,
      };
    },
    plant: (db) =>
      sql`
        INSERT INTO run_events (run_id, seq, event)
        SELECT run_id, seq + 1, event FROM run_events WHERE run_id = ${runIds[0]} ORDER BY seq DESC LIMIT 1`.execute(
        db,
      ),
  };

  async function settledCount(runId: string): Promise<{ simulationCount: number }> {
    await settled(client(), runId, 120_000);
    const { simulations } = await client().runs.simulations({ runId, pageSize: 200 });
    expect(simulations.map(({ status }) => status)).toEqual(simulations.map(() => "completed"));
    return { simulationCount: simulations.length };
  }

  async function endsOf(runId: string) {
    const counts = new Map<string, number>();
    const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    let starts = 0;
    for (let after = 0; ;) {
      const page = await client().runs.events({ runId, after });
      for (const event of page.events) {
        const name = endOf(event);
        if (name !== undefined) count(name);
        if (event.kind === "simulation" && event.status === "running") starts++;
      }
      if (page.events.length === 0) break;
      after = page.next;
    }
    const names = [...counts.keys()];
    const graded = names.filter((name) => name.startsWith("grade")).length;
    return { twice: [...counts].filter(([, times]) => times > 1), ended: names.length - graded, graded, starts };
  }
}

function endOf(event: RunEvent): string | undefined {
  if (event.kind === "run") return event.status === "completed" ? "run" : undefined;
  if (event.kind === "grade") return `grade ${event.simulationId}`;
  return event.kind === "simulation" && event.status === "completed" ? `simulation ${event.simulationId}` : undefined;
}

/** Adds calls to the platform, which the processes import. */
export function importing({ client }: Processes, fake: FakePlatformA, agentIds: readonly string[], db: Db): Load {
  const callIds: string[] = [];
  const readImported = () => db.selectFrom("imported_calls").selectAll().execute();

  return {
    async round() {
      const calls = agentIds.map((agentId) => callBefore(30, { agentId }));
      fake.addCalls(calls);
      callIds.push(...calls.map(({ call_id }) => call_id));
    },
    async verify() {
      const missing = async () => {
        const arrived = new Set((await readImported()).map(({ call_id }) => call_id));
        return callIds.filter((id) => !arrived.has(id));
      };
      await expect.poll(missing, { timeout: 90_000 }).toEqual([]);
      const imported = await readImported();
      expect(imported).toHaveLength(callIds.length);
      const listed = await listedTimes(client());
      expect(imported.filter(({ trace_id }) => listed.get(trace_id) !== 1)).toEqual([]);
      return { "calls imported": imported.length, "calls lost": 0, "calls doubled": 0 };
    },
    async plant() {
      const [call] = await readImported();
      await db
        .insertInto("imported_calls")
        .values({ ...call!, call_id: "unknown" })
        .execute();
    },
  };
}

/** Creates keys, uses them at every process, revokes them, and checks that every process refuses them, then and at the end. */
export function revoking({ ask, askAt, urls }: Processes, key: string): Load {
  const revoked: { id: string; secret: string }[] = [];
  let asked = 0;
  let accepted = 0;
  const useAll = (secret: string) =>
    Promise.all(urls().map((url) => askAt(url, { method: "GET", path: "/v1/projects", key: secret })));

  async function askAgain(secret: string): Promise<void> {
    for (const reply of await useAll(secret)) {
      asked++;
      if (reply?.status === 200) accepted++;
    }
  }

  return {
    async round() {
      const made = await ask({ method: "POST", path: "/api/keys", key, json: { name: "short" } });
      if (made?.status !== 201) return;
      const created = jsonOf<{ id: string; secret: string }>(made);
      await useAll(created.secret);
      const done = await ask({ method: "POST", path: `/api/keys/${created.id}/revoke`, key });
      if (done?.status !== 200) return;
      revoked.push(created);
      await askAgain(created.secret);
      await askAgain(created.secret);
    },
    async verify() {
      for (const { secret } of revoked) await askAgain(secret);
      expect(accepted).toBe(0);
      return { "keys revoked": revoked.length, "requests with a revoked key": asked, "of them accepted": accepted };
    },
    plant: (db) => db.updateTable("api_keys").set({ revoked_at: null }).where("id", "=", revoked[0]!.id).execute(),
  };
}
