import type { ImportErrorKind } from "@svc/contract";
import { leasesOn, RELEASED } from "../../stores/lease.ts";
import type { Db } from "../../stores/relational.ts";
import type { FailureRow, MonitoredAgentIds, SetupRow } from "./rows.ts";

export type ReplayableFailure = {
  failure: FailureRow;
  agent: MonitoredAgentIds;
  setup: Pick<SetupRow, "id" | "revision" | "fetches_recordings">;
};

export type OpenFailureWindows = {
  fromMs: number;
  toMs: number;
  windowMs: number;
  agents: readonly string[] | undefined;
};
export type OpenFailureCount = { agent: string; startMs: number; open: number };

/** The import failures that people see, and the leases of their replays. */
export type FailureStore = {
  /** Returns a failure, open or resolved. */
  find: (projectId: string, failureId: string) => Promise<ReplayableFailure | undefined>;
  countOpen: (projectId: string) => Promise<number>;
  /** Counts the failures of each agent that were open at the end of each window. Omits windows without such a failure. */
  countOpenAtEnds: (projectId: string, windows: OpenFailureWindows) => Promise<OpenFailureCount[]>;
  countAll: () => Promise<number>;
  /** Leases an open failure and counts the attempt. Returns undefined when the failure is leased or no longer open. */
  lease: (failure: FailureRow, leaseMs: number) => Promise<FailureRow | undefined>;
  /** Changes the reason of the failure, unless another replay has leased the failure since. */
  updateKind: (failure: FailureRow, kind: ImportErrorKind) => Promise<void>;
  /** Ends the lease, unless another replay has leased the failure since. */
  release: (failure: FailureRow) => Promise<void>;
};

export function createFailureStore(db: Db): FailureStore {
  const leases = leasesOn(db);
  const leased = ({ id, replay }: FailureRow) =>
    db.updateTable("import_failures").where("id", "=", id).where("replay", "=", replay);

  return {
    async countOpen(projectId) {
      const { count } = await db
        .selectFrom("import_failures as f")
        .innerJoin("monitored_agents as a", "a.id", "f.agent_id")
        .innerJoin("monitoring_setups as s", "s.id", "f.setup_id")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("s.project_id", "=", projectId)
        .where("f.status", "=", "open")
        .executeTakeFirstOrThrow();
      return count;
    },

    async countOpenAtEnds(projectId, { fromMs, toMs, windowMs, agents }) {
      const rows = await db
        .selectFrom("import_failures as f")
        .innerJoin("monitored_agents as a", "a.id", "f.agent_id")
        .innerJoin("monitoring_setups as s", "s.id", "f.setup_id")
        .select(["a.platform_agent_name as agent", "f.status", "f.opened_at", "f.last_attempt_at"])
        .where("s.project_id", "=", projectId)
        .where("f.opened_at", "<=", new Date(toMs).toISOString())
        .where((eb) =>
          eb.or([eb("f.status", "=", "open"), eb("f.last_attempt_at", ">", new Date(fromMs).toISOString())]),
        )
        .$if(agents !== undefined, (some) => some.where("a.platform_agent_name", "in", agents!))
        .execute();
      const windowAt = (time: string) => Math.max(0, Math.ceil((Date.parse(time) - fromMs) / windowMs) - 1);
      const windows = (toMs - fromMs) / windowMs;
      return [...Map.groupBy(rows, ({ agent }) => agent)].flatMap(([agent, own]) => {
        const changes = new Int32Array(windows + 1);
        for (const { status, opened_at, last_attempt_at } of own) {
          changes[windowAt(opened_at!)]!++;
          if (status !== "open") changes[Math.min(windows, windowAt(last_attempt_at))]!--;
        }
        let open = 0;
        return Array.from({ length: windows }, (_, at) => {
          open += changes[at]!;
          return { agent, startMs: fromMs + at * windowMs, open };
        }).filter((window) => window.open > 0);
      });
    },

    async countAll() {
      // The query uses the index of each agent's open failures. It does not read the resolved failures, whose number only grows.
      const { count } = await db
        .selectFrom("monitored_agents as a")
        .select(({ fn, selectFrom }) =>
          fn
            .sum<number | null>(
              selectFrom("import_failures as f")
                .select((eb) => eb.fn.countAll<number>().as("open"))
                .whereRef("f.agent_id", "=", "a.id")
                .where("f.status", "=", "open"),
            )
            .as("count"),
        )
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async find(projectId, failureId) {
      const row = await db
        .selectFrom("import_failures as f")
        .innerJoin("monitored_agents as a", "a.id", "f.agent_id")
        .innerJoin("monitoring_setups as s", "s.id", "f.setup_id")
        .selectAll("f")
        .select(["a.platform_agent_id", "s.revision", "s.fetches_recordings"])
        .where("f.id", "=", failureId)
        .where("s.project_id", "=", projectId)
        .where("f.status", "!=", "waiting")
        .executeTakeFirst();
      if (!row) return undefined;
      const { platform_agent_id: platformAgentId, revision, fetches_recordings, ...failure } = row;
      return {
        failure,
        setup: { id: failure.setup_id, revision, fetches_recordings },
        agent: { projectId, setupId: failure.setup_id, agentId: failure.agent_id, platformAgentId },
      };
    },

    async lease(failure, leaseMs) {
      return db
        .updateTable("import_failures")
        .set((eb) => ({
          replay: eb("replay", "+", 1),
          replaying_until_ms: leases.until(leaseMs),
          attempts: eb("attempts", "+", 1),
          last_attempt_at: new Date().toISOString(),
        }))
        .where("id", "=", failure.id)
        .where("status", "=", "open")
        .where(leases.isFree("replaying_until_ms"))
        .returningAll()
        .executeTakeFirst();
    },

    async updateKind(failure, kind) {
      await leased(failure).set({ error_kind: kind }).execute();
    },

    async release(failure) {
      await leased(failure).set({ replaying_until_ms: RELEASED }).execute();
    },
  };
}
