import Router from "@koa/router";
import type { Operations } from "@svc/contract";
import Koa from "koa";
import { openCredentials } from "./access/credentials.ts";
import { openSessions } from "./access/sessions.ts";
import { accountRoutes } from "./accounts/routes.ts";
import { openSignUp } from "./accounts/sign-up.ts";
import { openAccountStore } from "./accounts/store.ts";
import { connectionRoutes } from "./agents/connections/routes.ts";
import { openConnectionStore } from "./agents/connections/store.ts";
import { agentRoutes } from "./agents/routes.ts";
import { openAgentStore } from "./agents/store.ts";
import { keyRoutes } from "./api-keys/routes.ts";
import { openKeyStore } from "./api-keys/store.ts";
import { openCapabilities } from "./capabilities/look-up.ts";
import { capabilityRoutes } from "./capabilities/routes.ts";
import type { Config } from "./config.ts";
import { firstStart } from "./first-start.ts";
import { openGrade } from "./graders/grade.ts";
import { pinned } from "./graders/grader.ts";
import { startProductionGrading } from "./graders/production/grade-production.ts";
import { graderRoutes } from "./graders/routes.ts";
import { openGraderStore } from "./graders/store/graders.ts";
import { createGradeStore } from "./graders/store/grades.ts";
import { openLabelStore } from "./graders/store/labels.ts";
import { openProductionStore } from "./graders/store/production.ts";
import { openLanguageModel } from "./language-model/language-model.ts";
import { healthRoutes } from "./health/routes.ts";
import { answerErrors } from "./http/answer-errors.ts";
import { openAuthenticate } from "./http/authenticate.ts";
import { openLargeAnswers } from "./http/large-answers.ts";
import { answerUnknown, type Routes, serveAll } from "./http/operation.ts";
import { openRateLimit } from "./http/rate-limit.ts";
import { secureHeaders } from "./http/secure-headers.ts";
import type { Log } from "./log.ts";
import { mockToolRoutes } from "./mock-tools/routes.ts";
import { openMockToolStore } from "./mock-tools/store.ts";
import { openMonitoring } from "./monitoring/monitoring.ts";
import type { Pace } from "./monitoring/pace.ts";
import { monitoringRoutes } from "./monitoring/routes.ts";
import { organizationRoutes } from "./organizations/routes.ts";
import { openOrganizationStore } from "./organizations/store.ts";
import { personaRoutes } from "./personas/routes.ts";
import { openPersonaStore } from "./personas/store.ts";
import { projectRoutes } from "./projects/routes.ts";
import { openProjectStore } from "./projects/store.ts";
import { providerKeyRoutes } from "./provider-keys/routes.ts";
import { openProviderKeyStore } from "./provider-keys/store.ts";
import { openSealing } from "./sealing.ts";
import { openRuns } from "./runs/open-runs.ts";
import { runRoutes } from "./runs/routes.ts";
import { keptSecret } from "./secrets.ts";
import { openRelational } from "./stores/relational.ts";
import { openSealedCredentials } from "./stores/sealed-credentials.ts";
import { suiteRoutes } from "./suites/routes.ts";
import { openSuiteStore } from "./suites/store.ts";
import { testRoutes } from "./test-definitions/routes.ts";
import { openTestStore } from "./test-definitions/store.ts";
import { openIntake } from "./traces/intake.ts";
import { traceRoutes } from "./traces/routes.ts";
import { openAnalytics } from "./traces/store/analytics.ts";
import { openAccountVoices, type Surroundings } from "./voices/account-voices.ts";
import { openCatalogStore } from "./voices/store.ts";

const FAILED_CREDENTIALS_PER_MINUTE = 60;
const SIGN_INS_PER_MINUTE = 30;
const GRADE_PRODUCTION_EVERY_MS = 30_000;

/** What specs open the service with. */
export type AppOptions = {
  checkAnswers?: boolean;
  gradeProductionEveryMs?: number;
  pace?: Partial<Pace>;
  voiceSurroundings?: Surroundings;
};

export type App = Awaited<ReturnType<typeof openApp>>;

/** The whole service on its two stores; `main` and every spec open exactly this. */
export async function openApp(
  config: Config,
  log: Log,
  {
    checkAnswers = false,
    gradeProductionEveryMs = GRADE_PRODUCTION_EVERY_MS,
    pace,
    voiceSurroundings,
  }: AppOptions = {},
) {
  const { dataDir } = config;
  const analytics = await openAnalytics({ dataDir, log, retentionDays: config.retentionDays });
  const intake = await openIntake({ dataDir, analytics, log });
  const relational = openRelational(dataDir);
  const { db } = relational;
  let listening = `http://${config.host}:${config.port}`;

  const credentials = openCredentials(relational);
  const sessions = openSessions(relational, {
    secret: keptSecret(dataDir, "auth-secret", config.authSecret),
    baseUrl: config.baseUrl ?? `http://${config.host}:${config.port}`,
  });
  const requests = openRateLimit(config.rateLimitPerMinute);
  const authenticate = openAuthenticate(credentials, sessions, openRateLimit(FAILED_CREDENTIALS_PER_MINUTE));

  const accounts = openAccountStore(db, credentials);
  const organizations = openOrganizationStore(db);
  const projects = openProjectStore(db, credentials);
  const keys = openKeyStore(db, credentials);
  const suites = openSuiteStore(db);
  const personas = openPersonaStore(db);
  const tests = openTestStore(db, suites, personas);
  const mockTools = openMockToolStore(db);
  const sealed = openSealedCredentials(db, openSealing(keptSecret(dataDir, "encryption-key", config.encryptionKey)));
  const connections = openConnectionStore(db, sealed);
  const agents = openAgentStore(db, connections);
  const graders = openGraderStore(db);
  const model = config.languageModel && openLanguageModel(config.languageModel);
  const grade = openGrade(model);
  const production = startProductionGrading({
    analytics,
    graders,
    store: openProductionStore(db),
    grade,
    log,
    everyMs: gradeProductionEveryMs,
  });
  const runs = openRuns({
    db,
    log,
    tests,
    suites,
    personas,
    connections,
    mockTools,
    sealed,
    intake,
    graders: async (projectId) => (await graders.forSimulations(projectId)).map(pinned),
    grade,
    model,
    platformABaseUrl: config.platformABaseUrl,
    publicUrl: () => config.baseUrl ?? listening,
  });
  const providerKeys = openProviderKeyStore(db, sealed);
  const voices = openAccountVoices(
    { keys: providerKeys, deploymentKeys: config.providerKeys, catalogs: openCatalogStore(db), log },
    voiceSurroundings,
  );
  const capabilities = openCapabilities(voices.list);
  const monitoring = openMonitoring({
    db,
    sealed,
    intake,
    lastSentMs: analytics.lastSent,
    log,
    baseUrl: config.platformABaseUrl,
    pace,
  });
  const signUp = openSignUp({ sessions, accounts, openSignUp: config.openSignUp });
  await firstStart(config.firstStart, { accounts, organizations, projects, keys, signUp });

  let stopping = false;
  const router = new Router();
  const routes: Routes<keyof Operations> = {
    ...healthRoutes({ relational: relational.reachable, analytics: analytics.reachable, stopping: () => stopping }),
    ...accountRoutes(accounts, sessions, signUp, openRateLimit(SIGN_INS_PER_MINUTE)),
    ...keyRoutes(db, keys),
    ...organizationRoutes(organizations, sealed),
    ...projectRoutes(projects),
    ...suiteRoutes(suites),
    ...testRoutes(tests, suites),
    ...agentRoutes(agents, {
      monitoringOf: monitoring.monitoringOfAgents,
      cancelRuns: runs.cancelOfAgent,
    }),
    ...connectionRoutes(connections),
    ...personaRoutes(personas, capabilities),
    ...mockToolRoutes(mockTools),
    ...capabilityRoutes(capabilities),
    ...providerKeyRoutes(providerKeys),
    ...traceRoutes(intake, analytics, {
      agentNames: agents.names,
      simulationsOf: runs.parts.store.simulationIds,
    }),
    ...runRoutes(runs.parts),
    ...monitoringRoutes(monitoring),
    ...graderRoutes({
      graders,
      grades: createGradeStore(db, runs.parts.store.findSimulation),
      labels: openLabelStore(db),
      analytics,
    }),
  };
  const edge = { db, authenticate, requests, largeAnswers: openLargeAnswers(), checkAnswers };
  serveAll(router, edge, routes);

  const koa = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
  koa.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") log.error({ err: error }, "an answer could not be written");
  });
  koa.use(answerErrors(log));
  koa.use(secureHeaders);
  koa.use(router.routes());
  koa.use((ctx) => {
    throw answerUnknown(router, ctx.path, ctx.method);
  });

  return {
    handle: koa.callback(),
    isClaimed: accounts.isClaimed,
    /** Resolves once every span that was acknowledged before can be read. */
    spansLoaded: intake.loaded,
    conversationsRead: intake.settle,
    /** From now on runs are played. Agents under test call mocked tools back here, when no public address is set. */
    listeningAt(url: string): void {
      listening = url;
      runs.start();
    },
    /** From now on `/health` says unavailable, so that traffic goes elsewhere, and no run is played, before the listener closes. */
    beginStop(): void {
      stopping = true;
      runs.stop();
    },
    async close(): Promise<void> {
      voices.close();
      await Promise.all([runs.close(), production.close(), monitoring.close()]);
      await intake.close();
      await analytics.close();
      credentials.close();
      await relational.close();
    },
  };
}
