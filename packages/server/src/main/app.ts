import type { PasswordHash } from "../access/password-hash.ts";
import { openChanges } from "../operations/changes/open.ts";
import { type Conditions, createConditions } from "../base/conditions.ts";
import type { Config } from "../base/config/config.ts";
import { openAudit } from "../operations/audit/open.ts";
import { openExports } from "../operations/exports/open.ts";
import { type FeatureOptions, openFeatures } from "./features.ts";
import { firstStart } from "./first-start.ts";
import { type ServiceContext, openContext } from "../context.ts";
import { createDocument, healthRoutes, readReadiness } from "../operations/health/routes.ts";
import { createReferencePage } from "../operations/health/reference/serve.ts";
import { instanceRoutes, serviceRoutes } from "../operations/health/settings.ts";
import type { Watched } from "../operations/metrics/watched.ts";
import { readVersion } from "../assets.ts";
import type { AnswerMcp } from "../http/mcp.ts";
import { type AnswerLimits, createAnswerSlots } from "../http/answer-slots.ts";
import { createListener, type UnknownPathHint } from "../http/listener.ts";
import type { Log } from "../base/log/log.ts";
import { openProcessFolder } from "../stores/folder/process-folder.ts";
import { alone } from "../stores/transaction.ts";
import { openErasure } from "../traces/erasure/open.ts";
import { openSharedTraces, openTraces, type Traces } from "../traces/open.ts";
import { openViews } from "../traces/views/open.ts";

/**
 * Only specs set options other than `webFolder` and `answerMcp`. With `checkAnswers`, every answer is checked against
 * its schema.
 */
export type AppOptions = FeatureOptions & {
  checkAnswers?: boolean;
  answerLimits?: Partial<AnswerLimits>;
  rateWindowMs?: number;
  passwordHash?: PasswordHash;
  /** Folder of the built pages. Without it the service has only the API. */
  webFolder?: string;
  /** Answers `/mcp`. Without it the service has no such path. */
  answerMcp?: AnswerMcp;
};

export type App = Awaited<ReturnType<typeof openApp>>;

export async function openApp(
  settings: Config,
  log: Log,
  { checkAnswers = false, answerLimits, rateWindowMs, passwordHash, webFolder, answerMcp, ...options }: AppOptions = {},
) {
  const conditions = createConditions(log);
  const folder = settings.databases && openProcessFolder(settings);
  const config = folder === undefined ? settings : { ...settings, dataDir: folder.path };
  const { traces, context } = await openStores(config, log, conditions, passwordHash).catch((error) => {
    folder?.close();
    throw error;
  });
  const features = await openFeatures(context, traces, options);
  const { agents, graders, keys, runs, recordings, monitoring, notifications } = features;
  await alone(context.db, "first start", () => firstStart(context.db, config.firstStart, features));
  const erasure = await openErasure(context, traces, [
    // The texts of failure groups come before the texts of graders: a failure group adds conversations to the review queue, and the graders
    // erase the queue.
    features.groups.texts,
    graders.texts,
    runs.texts,
    recordings.texts,
    // Alerts change the texts of events.
    features.alerts.texts,
    notifications.texts,
  ]);

  const views = openViews(context, {
    run: runs.projectsOf.run,
    alert: features.alerts.projectsOf.alert,
    isArchivedAgent: agents.store.isArchived,
  });
  const audit = openAudit(context);
  const exports = openExports(config.dataDir, context.db, traces);
  const changes = openChanges(
    { conversations: traces.changes, imports: monitoring.changes },
    context,
    options.changeLimits,
  );

  const stopping = new AbortController();
  const slots = createAnswerSlots(answerLimits);
  const document = createDocument();
  const state = {
    relational: context.relational,
    analytics: traces,
    isRebuilding: traces.intake.isCatchingUp,
    isStopping: () => stopping.signal.aborted,
  };
  const conditionsOf = async (organizationId: string) => [
    ...(await keys.conditionsOf(organizationId)),
    ...(await notifications.conditionsOf(organizationId)),
  ];
  const routes = {
    ...healthRoutes(state, conditions, conditionsOf, document),
    ...instanceRoutes(config, features.accounts.store.isClaimed, features.singleSignOn.hasAny),
    ...serviceRoutes(config, context.serviceUrl, {
      ...features.dependencies,
      ...placesOfData(config, context, traces),
    }),
    ...features.accounts.routes,
    ...features.singleSignOn.routes,
    ...features.deviceSignIn.routes,
    ...features.organizations.routes,
    ...features.projects.routes,
    ...keys.routes,
    ...features.providerKeys.routes,
    ...features.languageModels.routes,
    ...features.capabilities.routes,
    ...features.suites.routes(features.tests.store),
    ...features.personas.routes(features.tests.store),
    ...features.tests.routes,
    ...features.mockTools.routes,
    ...agents.routes({
      monitoringOf: monitoring.monitoringOfAgents,
      lastOfAgents: traces.reader.lastOfAgents,
      cancelRuns: runs.cancelOfAgent,
      tryConnection: runs.tryConnection,
    }),
    ...graders.routes(runs.findSimulation),
    ...runs.routes,
    ...recordings.routes(runs.findSimulation),
    ...features.sample.routes,
    ...monitoring.routes,
    ...features.review.routes,
    ...features.alerts.routes,
    ...features.groups.routes,
    ...notifications.routes,
    ...audit.routes,
    ...changes.routes,
    ...exports.routes,
    ...views.routes,
    ...traces.routes(
      {
        agentNames: agents.store.listNames,
        simulationsOf: runs.simulationIds,
        tracesOfAlert: features.alerts.traceIdsOf,
        conversationsWithVerdict: async (...search) => [
          ...(await graders.conversationsWithVerdict(...search)),
          ...(await runs.simulationsWithVerdict(...search)),
        ],
        countProductionVerdicts: graders.countVerdicts,
        countSimulationVerdicts: runs.countVerdicts,
      },
      erasure,
    ),
  };
  const metrics = await openMetrics(config, log, {
    version: readVersion(),
    dataDir: config.dataDir,
    callsAtOnce: config.callsAtOnce,
    readiness: () => readReadiness(state),
    stores: [
      { name: "relational", reachable: context.relational.reachable },
      { name: "analytics", reachable: traces.reachable },
    ],
    conditions,
    answers: slots.state,
    traces: traces.progress,
    runs: runs.progress,
    calls: features.calls,
    monitoring: monitoring.progress,
    notifications: notifications.progress,
  });
  const hintOf: UnknownPathHint = (request) => traces.hintOf(request) ?? features.deviceSignIn.hintOf(request);
  const referencePage = createReferencePage(document);
  const handle = createListener(
    context,
    {
      audit: audit.trail,
      slots,
      checkAnswers,
      hintOf,
      rateWindowMs,
      referencePage,
      observe: metrics?.observe,
      metricsPage: metrics?.page,
      webFolder,
      answerMcp,
      stopping: stopping.signal,
    },
    routes,
    {
      ...features.suites.projectsOf,
      ...features.personas.projectsOf,
      ...features.tests.projectsOf,
      ...features.mockTools.projectsOf,
      ...agents.projectsOf,
      ...graders.projectsOf(runs.findSimulation),
      ...runs.projectsOf,
      ...traces.projectsOf,
      ...views.projectsOf,
      ...features.review.projectsOf,
      ...features.alerts.projectsOf,
      ...features.groups.projectsOf,
      ...notifications.projectsOf,
    },
  );

  return {
    handle,
    /** Serves the port of the metrics; undefined when no setting enables metrics. */
    handleMetrics: metrics?.handle,
    answersInTheMaking: slots.state,
    recordings: { newFile: recordings.newFile, keep: recordings.keep },
    isClaimed: features.accounts.store.isClaimed,
    /** Resolves when requests can get every acknowledged span. */
    spansLoaded: traces.intake.loaded,
    /** Resolves when the service has derived every conversation whose spans are loaded. */
    conversationsRead: traces.intake.drain,
    /** Agents under test call mocked tools at `url`, unless the settings have a base URL. */
    listeningAt: runs.start,
    /**
     * Makes `/health` and `/ready` answer 503, stops playing runs, and ends open MCP requests and event streams. Call this function before
     * the listener closes.
     */
    beginStop(): void {
      stopping.abort();
      runs.stop();
      changes.close();
    },
    async close(): Promise<void> {
      changes.close();
      await audit.close();
      await erasure.close();
      await features.close();
      await traces.close();
      await context.close();
      folder?.close();
    },
  };
}

/** Loads the code of the metrics only when a setting enables metrics. */
async function openMetrics({ metricsPort, metricsToken }: Config, log: Log, watched: Watched) {
  if (metricsPort === undefined && metricsToken === undefined) return undefined;
  return (await import("../operations/metrics/open.ts")).openMetrics(watched, log, metricsToken);
}

function placesOfData({ databases, dataDir }: Config, { relational }: ServiceContext, traces: Traces) {
  if (databases === undefined) return { dataDir, databases: [] };
  const engines = [
    { name: "PostgreSQL", reachable: relational.reachable },
    { name: "ClickHouse", reachable: traces.reachable },
  ];
  return { dataDir: undefined, databases: engines };
}

/** When one of the stores fails to open, closes the other one and throws. */
async function openStores(
  config: Config,
  log: Log,
  conditions: Conditions,
  passwordHash: PasswordHash | undefined,
): Promise<{ traces: Traces; context: ServiceContext }> {
  let context: ServiceContext | undefined;
  try {
    if (config.databases !== undefined) {
      context = await openContext(config, log, conditions, passwordHash);
      const { clickHouseUrl: url } = config.databases;
      const traces = await openSharedTraces(config, log, conditions, { url, db: context.db });
      return { traces, context };
    }
    const traces = await openTraces(config, log, conditions, async () => {
      context = await openContext(config, log, conditions, passwordHash);
      return context.db;
    });
    return { traces, context: context! };
  } catch (error) {
    await context?.close();
    throw error;
  }
}
