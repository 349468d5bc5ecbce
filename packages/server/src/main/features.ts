import { openAccounts } from "../tenancy/accounts/open.ts";
import { openAgents } from "../agents/open.ts";
import { openKeys } from "../tenancy/api-keys/open.ts";
import { openDeviceSignIn } from "../tenancy/device-sign-in/open.ts";
import type { ChangeLimits } from "../operations/changes/open.ts";
import { openAlerts } from "../alerts/open.ts";
import { openCalls } from "../voice/calls/open.ts";
import { openCapabilities } from "../voice/capabilities/open.ts";
import { openGraders, openReview } from "../grading/graders/open.ts";
import type { ProductionPace } from "../grading/graders/production/grade-production.ts";
import { type GroupOptions, openGroups } from "../groups/open.ts";
import type { ServiceContext } from "../context.ts";
import { openLanguageModels } from "../grading/language-model/open.ts";
import { openMockTools } from "../authoring/mock-tools/open.ts";
import { openMonitoring } from "../monitoring/open.ts";
import type { Pace } from "../monitoring/platform-a/pace.ts";
import { openNotifications } from "../notifications/open.ts";
import type { SenderPace } from "../notifications/sender.ts";
import { openOrganizations } from "../tenancy/organizations/open.ts";
import { openPersonas } from "../authoring/personas/open.ts";
import { openProjects } from "../tenancy/projects/open.ts";
import { openProviderKeys } from "../voice/provider-keys/open.ts";
import type { BucketPace } from "../voice/recordings/bucket-work.ts";
import { openRecordings } from "../voice/recordings/open.ts";
import { openRuns, type RunOptions } from "../runs/open.ts";
import { openSample } from "../runs/sample/open.ts";
import { createFindModelAccess } from "../voice/speech/access.ts";
import { openSpeech, type SpeechOverrides } from "../voice/speech/open.ts";
import { openSingleSignOn } from "../tenancy/single-sign-on/open.ts";
import { openSuites } from "../authoring/suites/open.ts";
import { openTests } from "../authoring/test-definitions/open.ts";
import { setVersionAttributes, type Traces } from "../traces/open.ts";
import type { VoiceOverrides } from "../voice/voices/account-voices.ts";
import { openVoices } from "../voice/voices/open.ts";

/** Options of features that only specs set. */
export type FeatureOptions = {
  productionPace?: Partial<ProductionPace>;
  evaluateAlertsEveryMs?: number;
  queueAlertsEveryMs?: number;
  groups?: GroupOptions;
  pace?: Partial<Pace>;
  bucketPace?: BucketPace;
  runs?: RunOptions;
  senderPace?: Partial<SenderPace>;
  voiceOverrides?: VoiceOverrides;
  speechOverrides?: SpeechOverrides;
  changeLimits?: Partial<ChangeLimits>;
  deviceIntervalSeconds?: number;
};

export type Features = Awaited<ReturnType<typeof openFeatures>>;

/** Each feature is opened after the features that it uses. */
export async function openFeatures(context: ServiceContext, traces: Traces, options: FeatureOptions) {
  const { config } = context;
  const languageModels = openLanguageModels(context);
  const { models } = languageModels;

  const organizations = openOrganizations(context);
  const keys = openKeys(context);
  const accounts = openAccounts(context, organizations.store, keys.store);
  const singleSignOn = openSingleSignOn(context, {
    admit: accounts.admit,
    startSession: accounts.startSession,
  });
  const projects = openProjects(context, () => setVersionAttributes(context.db, traces));
  const deviceSignIn = openDeviceSignIn(context, accounts.store, keys.store, options.deviceIntervalSeconds);
  const providerKeys = openProviderKeys(context);
  const voices = openVoices(context, providerKeys.store, options.voiceOverrides);
  const capabilities = openCapabilities(voices.list, createFindModelAccess({ keys: providerKeys.store, config }));
  const speech = openSpeech(context, { keys: providerKeys.store, capabilities }, options.speechOverrides);
  const suites = openSuites(context);
  const personas = openPersonas(context, { capabilities, speech });
  const tests = openTests(context, suites.store, personas.store, models);
  const mockTools = openMockTools(context);
  const agents = openAgents(context);
  const recordings = await openRecordings(context, traces, options.bucketPace);
  const graders = openGraders(context, traces, models, options.productionPace);
  const calls = openCalls(context);
  const runs = openRuns(
    context,
    {
      tests,
      suites,
      personas,
      mockTools,
      agents,
      graders,
      traces,
      speech,
      calls,
      recordings,
      models,
    },
    options.runs,
  );
  const sample = openSample(context, { agents, suites, tests, runs });
  const monitoring = openMonitoring(context, traces, recordings, options.pace);
  const watching = { ...traces, ...graders.gradedCounts, countOpenAtEnds: monitoring.countOpenAtEnds };
  const alerts = openAlerts(context, watching, options.evaluateAlertsEveryMs);
  const review = openReview(
    context,
    traces,
    { graders, findSimulation: runs.findSimulation },
    options.queueAlertsEveryMs,
  );
  const groups = openGroups(context, { graders, runs, traces }, options.groups);
  const quoteSources = {
    ofSimulation: runs.readDecidingWords,
    ofProduction: graders.readDecidingWords,
    ofGroup: groups.readTitle,
  };
  const notifications = openNotifications(context, traces, quoteSources, options.senderPace);

  return {
    dependencies: {
      modelOf: models.ofOrganization,
      listProviders: async (organizationId: string) =>
        (await providerKeys.store.list(organizationId)).map(({ provider }) => provider),
      async askProvider(organizationId: string, provider: string) {
        const listing = await voices.list(organizationId, provider, { refresh: false });
        if (listing.state === "failed") return listing.reason;
        return listing.state === "listed" ? listing.voices.length : undefined;
      },
    },
    accounts,
    singleSignOn,
    organizations,
    projects,
    keys,
    deviceSignIn,
    providerKeys,
    speech,
    capabilities,
    languageModels,
    calls,
    suites,
    personas,
    tests,
    mockTools,
    agents,
    recordings,
    graders,
    runs,
    sample,
    monitoring,
    alerts,
    review,
    groups,
    notifications,
    async close(): Promise<void> {
      voices.close();
      await Promise.all([
        runs.close(),
        graders.close(),
        monitoring.close(),
        alerts.close(),
        review.close(),
        groups.close(),
        notifications.close(),
        speech.close(),
        recordings.close(),
      ]);
      await calls.close();
    },
  };
}
