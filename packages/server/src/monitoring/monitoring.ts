import type { Answer, MonitoringSetup, operations } from "@svc/contract";
import { createCounts } from "../base/counts.ts";
import type { Log } from "../base/log/log.ts";
import type { Listener, Notices } from "../stores/notices.ts";
import type { Db } from "../stores/relational.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import type { Intake } from "../traces/intake/intake.ts";
import { listAgents, verifyAgents } from "./platform-a/choose-agents.ts";
import type { ImportContext, ReadCounts } from "./platform-a/import-context.ts";
import type { FetchRecording } from "./platform-a/fetch-recording.ts";
import { PACE, type Pace } from "./platform-a/pace.ts";
import { createPlatformAClient, type PlatformAClient, type VoiceAgent } from "./platform-a/client.ts";
import { openPoller } from "./platform-a/poller.ts";
import { presentSetup } from "./present.ts";
import type { MonitoredPlatform } from "./refusal-rules.ts";
import { replay } from "./platform-a/replay.ts";
import { createCallStore } from "./store/calls.ts";
import { createFailureStore, type FailureStore } from "./store/failures.ts";
import { createImportStore, type ImportStore } from "./store/imports.ts";
import { createScanStore } from "./store/scans.ts";
import { createSetupStore, type OwningProject, type SetupStore, type SetupWithAgents } from "./store/setups.ts";

/** Time limit for a request of a person to the platform. It is short, because the person waits for the answer. */
const VERIFY_MS = 25_000;

type Options = {
  db: Db;
  sealed: SealedCredentials;
  intake: Intake;
  /** Returns when a worker last sent a conversation to the project, in Unix milliseconds; null when no worker ever did. */
  lastSentMs: (project: number) => Promise<number | null>;
  log: Log;
  baseUrl: string;
  pace?: Partial<Pace> | undefined;
  random?: () => number;
  fetchRecording: FetchRecording;
  notices: Notices;
};

type Project = { id: string; number: number };

type WantedSetup = { apiKey: string; agentIds: string[]; fetchRecordings: boolean | undefined };

type ImportChanges = {
  /**
   * Calls `listener` with the id of a project whose scans, failures or setups have changed, in any process. The id is undefined when any
   * project may have changed.
   */
  onChange: (listener: Listener) => void;
  countFailures: (projectId: string) => Promise<number>;
};

export type Monitoring = {
  list: (project: Project) => Promise<MonitoringSetup[]>;
  discover: (apiKey: string) => Promise<VoiceAgent[]>;
  savePlatformA: (project: Project & OwningProject, wanted: WantedSetup) => Promise<MonitoringSetup>;
  savePlatformB: (project: Project) => Promise<MonitoringSetup>;
  replay: (project: Project, failureId: string) => Promise<Answer<typeof operations.monitoring.replay>>;
  remove: (project: Project, platform: MonitoredPlatform) => Promise<void>;
  countOpenAtEnds: FailureStore["countOpenAtEnds"];
  monitoringOfAgents: ImportStore["monitoringOfAgents"];
  changes: ImportChanges;
  progress: { reads: ReadCounts } & Pick<FailureStore, "countAll"> & Pick<SetupStore, "countByHealth">;
  /** Stops the imports immediately. Records the calls whose spans are on disk. The other calls are read after the next start. */
  close: () => Promise<void>;
};

export function startMonitoring(options: Options): Monitoring {
  const { db, sealed, intake, lastSentMs, log, baseUrl, fetchRecording, notices, random = Math.random } = options;
  const pace = { ...PACE, ...options.pace };
  const setups = createSetupStore(db, sealed);
  const imports = createImportStore(db, sealed);
  const failures = createFailureStore(db);
  const closing = new AbortController();
  const changed = (projectId: string) => notices.send("imports", projectId);
  const readCounts: ReadCounts = createCounts();
  const context: ImportContext = {
    setups,
    scans: createScanStore(db),
    calls: createCallStore(db),
    intake,
    fetchRecording,
    log,
    pace,
    random,
    readCounts,
    changed,
    createClient: (apiKey, signal) => createPlatformAClient({ baseUrl, apiKey, signal, timeoutMs: pace.requestMs }),
  };
  const poller = openPoller(context);

  // Another process has saved or removed the setup, so this process ends its current step of the setup. The other process does not wait for
  // that.
  notices.listen("setup", (setupId) => void (setupId !== undefined && poller.interrupt(setupId)));
  async function interrupt(setupId: string): Promise<void> {
    notices.send("setup", setupId);
    await poller.interrupt(setupId);
  }

  /**
   * Calls `question` with a client for a request of a person. When `question` returns or throws, cancels its requests that are still in
   * progress.
   */
  async function ask<T>(apiKey: string, question: (client: PlatformAClient) => Promise<T>): Promise<T> {
    const decided = new AbortController();
    const signal = AbortSignal.any([decided.signal, closing.signal, AbortSignal.timeout(VERIFY_MS)]);
    try {
      return await question(context.createClient(apiKey, signal));
    } finally {
      decided.abort();
    }
  }

  async function present(project: Project, stored: SetupWithAgents): Promise<MonitoringSetup> {
    if (stored.setup.agent_platform === "platform_a")
      return presentSetup(stored, await imports.findLastImport(project.id));
    const lastMs = await lastSentMs(project.number);
    return presentSetup(stored, lastMs === null ? null : new Date(lastMs).toISOString());
  }

  return {
    list: async (project) => Promise.all((await setups.list(project.id)).map((stored) => present(project, stored))),

    discover: (apiKey) => ask(apiKey, listAgents),

    async savePlatformA(project, { apiKey, agentIds, fetchRecordings }) {
      const agents = await ask(apiKey, (client) => verifyAgents(client, agentIds));
      const saved = await setups.savePlatformA(project, { apiKey, agents, fetchRecordings });
      await interrupt(saved.setup.id);
      poller.wake();
      changed(project.id);
      return present(project, saved);
    },

    async savePlatformB(project) {
      const saved = await setups.savePlatformB(project.id);
      changed(project.id);
      return present(project, saved);
    },

    replay: (project, failureId) => replay({ ...context, failures }, closing.signal, project, failureId),

    async remove(project, platform) {
      await interrupt(await setups.delete(project.id, platform));
      changed(project.id);
    },

    countOpenAtEnds: failures.countOpenAtEnds,
    monitoringOfAgents: imports.monitoringOfAgents,

    changes: {
      onChange: (listener) => notices.listen("imports", listener),
      countFailures: failures.countOpen,
    },

    progress: { reads: readCounts, countAll: failures.countAll, countByHealth: setups.countByHealth },

    async close() {
      closing.abort();
      await poller.close();
    },
  };
}
