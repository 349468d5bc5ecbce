import type { MonitoringSetup } from "@svc/contract";
import type { Log } from "../log.ts";
import type { Db } from "../stores/relational.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import type { Intake } from "../traces/intake.ts";
import { listAgents, verifyAgents } from "./choose-agents.ts";
import { PACE, type Pace } from "./pace.ts";
import { openPlatformAClient } from "./platform-a/client.ts";
import { openPoller } from "./poller.ts";
import { presentSetup } from "./present.ts";
import { replay } from "./replay.ts";
import type { AgentPlatform } from "./rules.ts";
import { openCallStore } from "./store/calls.ts";
import { openImportStore } from "./store/imports.ts";
import { openScanStore } from "./store/scans.ts";
import { openSetupStore, type OwningProject, type SetupWithAgents } from "./store/setups.ts";
import type { Parts } from "./turn.ts";

/** A person waits meanwhile. */
const VERIFY_MS = 25_000;

type Options = {
  db: Db;
  sealed: SealedCredentials;
  intake: Intake;
  /** When the project's newest conversation came in that a worker sent by itself. */
  lastSentMs: (project: number) => Promise<number | null>;
  log: Log;
  baseUrl: string;
  pace?: Partial<Pace> | undefined;
  random?: () => number;
};

type Project = { id: string; number: number };

export type Monitoring = ReturnType<typeof startMonitoring>;

/** Monitoring setups, and the poller that imports from platform_a until `close`. */
export function startMonitoring({ db, sealed, intake, lastSentMs, log, baseUrl, pace, random = Math.random }: Options) {
  const setups = openSetupStore(db, sealed);
  const imports = openImportStore(db);
  const closing = new AbortController();
  const parts: Parts = {
    setups,
    scans: openScanStore(db),
    calls: openCallStore(db),
    intake,
    log,
    pace: { ...PACE, ...pace },
    random,
    openClient: (apiKey, signal) => openPlatformAClient({ baseUrl, apiKey, signal, timeoutMs: parts.pace.requestMs }),
  };
  const poller = openPoller(parts);

  /** Asks the platform for a person; what is still under way when the answer is decided is broken off. */
  async function ask<T>(apiKey: string, question: (client: ReturnType<Parts["openClient"]>) => Promise<T>): Promise<T> {
    const decided = new AbortController();
    const signal = AbortSignal.any([decided.signal, closing.signal, AbortSignal.timeout(VERIFY_MS)]);
    try {
      return await question(parts.openClient(apiKey, signal));
    } finally {
      decided.abort();
    }
  }

  async function present(project: Project, found: SetupWithAgents): Promise<MonitoringSetup> {
    if (found.setup.agent_platform === "platform_a")
      return presentSetup(found, await imports.lastImportedAt(project.id));
    const lastMs = await lastSentMs(project.number);
    return presentSetup(found, lastMs === null ? null : new Date(lastMs).toISOString());
  }

  return {
    async list(project: Project): Promise<MonitoringSetup[]> {
      return Promise.all((await setups.list(project.id)).map((found) => present(project, found)));
    },

    discover: (apiKey: string) => ask(apiKey, listAgents),

    async savePlatformA(
      project: Project & OwningProject,
      apiKey: string,
      agentIds: string[],
    ): Promise<MonitoringSetup> {
      const agents = await ask(apiKey, (client) => verifyAgents(client, agentIds));
      const saved = await setups.savePlatformA(project, apiKey, agents);
      await poller.interrupt(saved.setup.id);
      poller.wake();
      return present(project, saved);
    },

    savePlatformB: async (project: Project) => present(project, await setups.savePlatformB(project.id)),

    replay: (project: Project, failureId: string) => replay(parts, closing.signal, project.id, failureId),

    async remove(project: Project, platform: AgentPlatform): Promise<void> {
      await poller.interrupt(await setups.remove(project.id, platform));
    },

    monitoringOfAgents: imports.monitoringOfAgents,

    /** Stops importing within a moment; what is on disk is noted, the rest is read after the next start. */
    async close(): Promise<void> {
      closing.abort();
      await poller.close();
    },
  };
}
