import Router from "@koa/router";
import Koa from "koa";
import { openCredentials } from "./access/credentials.ts";
import { openSessions } from "./access/sessions.ts";
import { accountRoutes } from "./accounts/routes.ts";
import { openSignUp } from "./accounts/sign-up.ts";
import { openAccountStore } from "./accounts/store.ts";
import { keyRoutes } from "./api-keys/routes.ts";
import { openKeyStore } from "./api-keys/store.ts";
import type { Config } from "./config.ts";
import { firstStart } from "./first-start.ts";
import { healthRoutes } from "./health/routes.ts";
import { answerErrors } from "./http/answer-errors.ts";
import { openAuthenticate } from "./http/authenticate.ts";
import { secureHeaders } from "./http/middleware.ts";
import { answerUnknown, serve } from "./http/operation.ts";
import { openRateLimit } from "./http/rate-limit.ts";
import type { Log } from "./log.ts";
import { openMonitoring } from "./monitoring/monitoring.ts";
import type { Pace } from "./monitoring/pace.ts";
import { monitoringRoutes } from "./monitoring/routes.ts";
import { organizationRoutes } from "./organizations/routes.ts";
import { openOrganizationStore } from "./organizations/store.ts";
import { projectRoutes } from "./projects/routes.ts";
import { openProjectStore } from "./projects/store.ts";
import { openSealing } from "./sealing.ts";
import { keptSecret } from "./secrets.ts";
import { openRelational } from "./stores/relational.ts";
import { openSealedCredentials } from "./stores/sealed-credentials.ts";
import { suiteRoutes } from "./suites/routes.ts";
import { openSuiteStore } from "./suites/store.ts";
import { testRoutes } from "./tests/routes.ts";
import { openTestStore } from "./tests/store.ts";
import { openIntake } from "./traces/intake.ts";
import { traceRoutes } from "./traces/routes.ts";
import { openAnalytics } from "./traces/store/analytics.ts";

const FAILED_CREDENTIALS_PER_MINUTE = 60;
const SIGN_INS_PER_MINUTE = 30;

/** What specs open the service with. */
export type AppOptions = { checkAnswers?: boolean; pace?: Partial<Pace> };

export type App = Awaited<ReturnType<typeof openApp>>;

/** The whole service on its two stores; `main` and every spec open exactly this. */
export async function openApp(config: Config, log: Log, { checkAnswers = false, pace }: AppOptions = {}) {
  const { dataDir } = config;
  const analytics = await openAnalytics({ dataDir, log, retentionDays: config.retentionDays });
  const intake = await openIntake({ dataDir, analytics, log });
  const relational = openRelational(dataDir);
  const { db } = relational;

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
  const tests = openTestStore(db);
  const sealed = openSealedCredentials(db, openSealing(keptSecret(dataDir, "encryption-key", config.encryptionKey)));
  const monitoring = openMonitoring({
    db,
    sealed,
    intake,
    lastSentMs: analytics.lastSent,
    log,
    baseUrl: config.platformABaseUrl,
    pace,
  });
  const signUp = openSignUp({ sessions, accounts, organizations, projects, openSignUp: config.openSignUp });
  await firstStart(config.firstStart, { accounts, organizations, projects, keys, signUp });

  let stopping = false;
  const router = new Router();
  const routes = [
    ...healthRoutes({ relational: relational.reachable, analytics: analytics.reachable, stopping: () => stopping }),
    ...accountRoutes(accounts, sessions, signUp, openRateLimit(SIGN_INS_PER_MINUTE)),
    ...keyRoutes(db, keys),
    ...organizationRoutes(organizations, sealed),
    ...projectRoutes(projects),
    ...suiteRoutes(suites),
    ...testRoutes(tests, suites),
    ...traceRoutes(intake, analytics),
    ...monitoringRoutes(monitoring),
  ];
  for (const route of routes) serve(router, { db, authenticate, requests, checkAnswers }, route);

  const koa = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
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
    /** From now on `/health` says unavailable, so that traffic goes elsewhere before the listener closes. */
    beginStop(): void {
      stopping = true;
    },
    async close(): Promise<void> {
      await monitoring.close();
      await intake.close();
      await analytics.close();
      credentials.close();
      await relational.close();
    },
  };
}
