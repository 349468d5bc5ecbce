import { resolve } from "node:path";
import { readOrganizationId } from "../access/projects.ts";
import { CODE_FOLDER } from "../assets.ts";
import { createCounts } from "../base/counts.ts";
import { AppError } from "../base/errors.ts";
import type { Agents } from "../agents/open.ts";
import type { Calls } from "../voice/calls/open.ts";
import { pinGrader } from "../grading/graders/grader.ts";
import type { Graders } from "../grading/graders/open.ts";
import type { ServiceContext } from "../context.ts";
import type { LanguageModels } from "../grading/language-model/open.ts";
import type { MockTools } from "../authoring/mock-tools/open.ts";
import type { Personas } from "../authoring/personas/open.ts";
import type { Recordings } from "../voice/recordings/open.ts";
import type { Speech } from "../voice/speech/open.ts";
import type { Suites } from "../authoring/suites/open.ts";
import type { Tests } from "../authoring/test-definitions/open.ts";
import type { Traces } from "../traces/open.ts";
import { isPostgres } from "../stores/dialect.ts";
import { createReadDecidingWords, createReadFailedSimulation } from "./after/failed-simulation.ts";
import { createGradeSimulation } from "./after/grade-simulation.ts";
import { createReadRunNotes } from "./after/run-notes.ts";
import { createChooseCaller } from "./callers/choose-caller.ts";
import { createChanges } from "./changes.ts";
import { createCredentialOf } from "./lines/open-credential.ts";
import { createBridges } from "./lines/bridge.ts";
import { createCallbackTokens, createToolCallbacks } from "./lines/tool-callbacks.ts";
import { createAccountTurns } from "./lines/account-turns.ts";
import { createPhoneCalls } from "./lines/place-call.ts";
import { createLocalRelay, openRelay, RELAYED_MS } from "./lines/relay.ts";
import { createCheckSounds } from "./plan/check-sounds.ts";
import { createFreezeRun } from "./plan/freeze.ts";
import { createReadPlayedPairs } from "./plan/played-pairs.ts";
import { createPrepareSimulation } from "./play/prepare.ts";
import { openScheduler } from "./play/scheduler.ts";
import { createSimulate, type PlayedCounts } from "./play/simulate.ts";
import { createCallerAudio } from "./play/caller-audio.ts";
import { createPresentRuns } from "./present-runs.ts";
import { runRoutes } from "./routes.ts";
import { openSchedules } from "./schedules/open.ts";
import { createScheduleStore } from "./schedules/store.ts";
import { createStartRun } from "./start-run.ts";
import { createRelayedRequestStore } from "./store/relayed-requests.ts";
import { createRunStore } from "./store/runs.ts";
import { findScheduleNames } from "./store/run-facts.ts";
import { createWaitingAccounts } from "./store/waiting-accounts.ts";
import { createSimulationTexts } from "./store/texts.ts";
import { createTryLimits } from "./tries/limits.ts";
import { createTryAudio } from "./tries/try-audio.ts";
import { createOpenConversations } from "./tries/open-conversations.ts";
import { createTryConnection, type TryOrder } from "./tries/try-connection.ts";

type UsedFeatures = {
  tests: Tests;
  suites: Suites;
  personas: Personas;
  mockTools: MockTools;
  agents: Agents;
  graders: Graders;
  traces: Traces;
  speech: Speech;
  calls: Calls;
  recordings: Recordings;
  models: LanguageModels;
};

/** Only specs change these settings. */
export type RunOptions = {
  leaseMs?: number | undefined;
  now?: (() => number) | undefined;
  lookForDueMs?: number | undefined;
  openConversationMs?: number | undefined;
};

const LEASE_MS = 30_000;
const LOOK_FOR_DUE_MS = 1_000;

/** Opens the runs. No simulation is played before `start`. */
export function openRuns(
  { config, db, log, sealed, notices }: ServiceContext,
  used: UsedFeatures,
  options: RunOptions = {},
) {
  const { ofProject: modelOf } = used.models;
  const { store: tests } = used.tests;
  const { store: personas } = used.personas;
  let publicUrl = config.baseUrl ?? `http://${config.host}:${config.port}`;
  const currentGraders = async (projectId: string) =>
    (await used.graders.store.listForSimulations(projectId)).map(pinGrader);

  const changes = createChanges();
  notices.listen("run", (runId) => (runId === undefined ? changes.anyChanged() : changes.changed(runId)));
  const leaseMs = options.leaseMs ?? LEASE_MS;
  const store = createRunStore(db, (runId) => notices.send("run", runId), leaseMs);
  const readFailed = createReadFailedSimulation(db, store);
  const readPlayedPairs = createReadPlayedPairs(store);
  const stopping = new AbortController();
  const isShared = isPostgres(db);
  const relay = isShared
    ? openRelay({ store: createRelayedRequestStore(db, RELAYED_MS), notices, log }, stopping.signal)
    : createLocalRelay();
  const bridges = createBridges(relay);
  const callbacks = createToolCallbacks({
    relay,
    tokens: createCallbackTokens(isShared ? config.authSecret : undefined),
    isUnderWay: store.isUnderWay,
  });
  const packageFolders = [CODE_FOLDER, resolve(config.dataDir, "packages")];
  const organizationOf = (projectId: string) => readOrganizationId(db, projectId);
  const freezeRun = createFreezeRun({
    tests,
    suites: used.suites.store,
    personas,
    readPlayedPairs,
    connections: used.agents.connections,
    trunks: used.agents.trunks,
    mockTools: used.mockTools.store,
    currentGraders,
    readHistory: store.readHistory,
    checkSounds: createCheckSounds({ speech: used.speech, organizationOf }),
    packageFolders,
    modelOf,
  });
  const phoneCalls = createPhoneCalls(used.agents.trunks);
  const waitingAccounts = createWaitingAccounts(db, (error) =>
    log.error({ err: error }, "the lease on an account that waits for a call could not be renewed"),
  );
  const accountTurns = createAccountTurns(waitingAccounts, organizationOf);
  const lineNeeds = {
    credentialOf: createCredentialOf(sealed),
    placeCall: phoneCalls.placeCall,
    takeAccount: accountTurns.take,
    bridges,
    callbacks,
    platformABaseUrl: config.platformABaseUrl,
    platformARoomUrl: config.platformARoomUrl,
    privateAddresses: config.outboundPrivate ? ("allow" as const) : ("refuse" as const),
    publicUrl: () => publicUrl,
    packageFolders,
  };
  const prepare = createPrepareSimulation({
    ...lineNeeds,
    tests,
    chooseCaller: createChooseCaller(personas, modelOf),
    callerAudioOf: createCallerAudio({
      calls: used.calls,
      speech: used.speech,
      recordings: used.recordings,
      personas,
      organizationOf,
    }),
  });
  const openConversations = createOpenConversations(relay, options.openConversationMs);
  const tryConnection = createTryConnection({
    ...lineNeeds,
    openConversations,
    connections: used.agents.connections,
    mockTools: used.mockTools.store,
    limits: createTryLimits(db),
    callerAudioOf: (call, signal) => createTryAudio(used, call, signal),
  });
  const played: PlayedCounts = createCounts();
  const simulate = createSimulate({ store, log, prepare, recordings: used.recordings, counts: played });
  const { intake } = used.traces;
  const gradeSimulation = createGradeSimulation({
    store,
    log,
    tests,
    intake,
    grade: used.graders.grade,
    currentGraders,
  });
  const tellCanceled = (runId: string) => notices.send("canceled_run", runId);
  const scheduler = openScheduler({
    store,
    log,
    simulate,
    gradeSimulation,
    tellCanceled,
    phoneCalls,
    accountTurns,
    callsAtOnce: config.callsAtOnce,
    leaseMs: isShared ? leaseMs : undefined,
  });
  notices.listen("canceled_run", (runId) => runId !== undefined && scheduler.stopRun(runId));
  async function cancelRun(runId: string): Promise<void> {
    await store.cancel(runId, "canceled_by_user");
    tellCanceled(runId);
  }
  const startRun = createStartRun({ store, freezeRun, scheduler });
  const scheduleStore = createScheduleStore(db);
  const presentAll = createPresentRuns({
    store,
    agents: used.agents.store,
    scheduleNames: (ids) => findScheduleNames(db, ids),
  });
  const schedules = openSchedules({
    store: scheduleStore,
    runs: store,
    freezeRun,
    scheduler,
    agents: used.agents.store,
    suites: used.suites.store,
    tests,
    presentRun: async (run) => (await presentAll([run]))[0]!,
    now: options.now ?? Date.now,
    lookEveryMs: options.lookForDueMs ?? LOOK_FOR_DUE_MS,
    log,
  });

  return {
    simulationIds: store.listSimulationIds,
    countVerdicts: store.countVerdicts,
    simulationsWithVerdict: store.listSimulationIdsWithVerdict,
    findSimulation: store.findSimulation,
    readFailed,
    readDecidingWords: createReadDecidingWords(readFailed),
    projectsOf: {
      run: store.findProjects,
      simulation: store.findProjectsOfSimulation,
      schedule: scheduleStore.findProjects,
    },
    texts: createSimulationTexts(db),
    routes: {
      ...schedules.routes,
      ...runRoutes({
        store,
        tests,
        agents: used.agents.store,
        freezeRun,
        startRun,
        cancelRun,
        readPlayedPairs,
        readNotes: createReadRunNotes({ store, reader: used.traces.reader }),
        scheduler,
        changes,
        bridges,
        callbacks,
        presentAll,
      }),
    },
    startRun,
    progress: {
      countOpenRuns: store.countOpenRuns,
      countOpenSimulations: store.countOpenSimulations,
      underWay: scheduler.underWay,
      played,
    },
    tryConnection: (order: TryOrder, signal: AbortSignal) =>
      tryConnection(order, AbortSignal.any([signal, stopping.signal])),
    async cancelOfAgent(agentId: string): Promise<number> {
      const runIds = await store.listOpenRunIds(agentId);
      for (const id of runIds) await cancelRun(id);
      return runIds.length;
    },
    start(listeningUrl: string): void {
      publicUrl = config.baseUrl ?? listeningUrl;
      scheduler.start();
      schedules.start(stopping.signal);
    },
    /** Interrupts conversations, tries, gradings and waiting readers. Must be called before the listener closes. */
    stop(): void {
      stopping.abort(new AppError("unavailable", "The service stops. Try again later."));
      scheduler.stop();
      changes.end();
    },
    async close(): Promise<void> {
      stopping.abort();
      await openConversations.close();
      await schedules.idle();
      await scheduler.close();
    },
  };
}

export type Runs = ReturnType<typeof openRuns>;
