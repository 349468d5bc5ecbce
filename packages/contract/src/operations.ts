import { accounts } from "./accounts/accounts.ts";
import { keys } from "./accounts/api-keys.ts";
import { device } from "./accounts/device.ts";
import { identity } from "./accounts/identity.ts";
import { organization } from "./accounts/organizations.ts";
import { invitations, members } from "./accounts/people.ts";
import { passkeys } from "./accounts/passkeys.ts";
import { projects } from "./accounts/projects.ts";
import { secondFactor } from "./accounts/second-factor.ts";
import { singleSignOn } from "./accounts/single-sign-on.ts";
import { agents } from "./agents/agents.ts";
import { connectionOptions } from "./agents/connection-options.ts";
import { connections } from "./agents/connections.ts";
import { trunks } from "./agents/trunks.ts";
import type { Operation } from "./core/operation.ts";
import { graders } from "./graders/graders.ts";
import { grades } from "./graders/grades.ts";
import { judge } from "./graders/judge.ts";
import { languageModel } from "./graders/language-model.ts";
import { monitoring } from "./monitoring/monitoring.ts";
import { alertRules } from "./alerts/alert-rules.ts";
import { alerts } from "./alerts/alerts.ts";
import { groups } from "./groups/groups.ts";
import { destinations } from "./notifications/destinations.ts";
import { events } from "./notifications/events.ts";
import { recordings } from "./recordings/recordings.ts";
import { review } from "./review/review.ts";
import { runs } from "./runs/runs.ts";
import { sample } from "./runs/sample.ts";
import { schedules } from "./runs/schedules.ts";
import { simulations } from "./runs/simulations.ts";
import { audit } from "./service/audit.ts";
import { changes } from "./service/changes.ts";
import { conditions } from "./service/conditions.ts";
import { description, health, instance, readiness } from "./service/health.ts";
import { service } from "./service/settings.ts";
import { mockTools } from "./test-definitions/mock-tools.ts";
import { personas } from "./test-definitions/personas.ts";
import { suites } from "./test-definitions/suites.ts";
import { tests } from "./test-definitions/tests.ts";
import { agentVersions } from "./traces/agent-versions.ts";
import { parquetExports } from "./traces/exports.ts";
import { turns } from "./traces/listed-turns.ts";
import { metrics } from "./traces/metrics.ts";
import { traces } from "./traces/traces.ts";
import { views } from "./traces/views.ts";
import { capabilities } from "./voice/capabilities.ts";
import { providerKeys } from "./voice/provider-keys.ts";

/** Operations, by family and name. `client.tests.create()` of the SDK calls `operations.tests.create`. */
export const operations: Operations = {
  accounts,
  secondFactor,
  passkeys,
  singleSignOn,
  device,
  invitations,
  members,
  keys,
  identity,
  organization,
  projects,
  suites,
  tests,
  agents,
  connections,
  trunks,
  connectionOptions,
  personas,
  mockTools,
  capabilities,
  providerKeys,
  traces,
  turns,
  views,
  metrics,
  agentVersions,
  exports: parquetExports,
  runs,
  schedules,
  simulations,
  recordings,
  sample,
  monitoring,
  graders,
  grades,
  judge,
  languageModel,
  review,
  alertRules,
  alerts,
  groups,
  events,
  destinations,
  health,
  readiness,
  conditions,
  audit,
  changes,
  instance,
  service,
  description,
} satisfies Record<string, Record<string, Operation>>;

/** Type of `operations`. It names the type of each family, so that editors show the operations' doc comments on SDK methods. */
export type Operations = {
  accounts: typeof accounts;
  secondFactor: typeof secondFactor;
  passkeys: typeof passkeys;
  singleSignOn: typeof singleSignOn;
  device: typeof device;
  invitations: typeof invitations;
  members: typeof members;
  keys: typeof keys;
  identity: typeof identity;
  organization: typeof organization;
  projects: typeof projects;
  suites: typeof suites;
  tests: typeof tests;
  agents: typeof agents;
  connections: typeof connections;
  trunks: typeof trunks;
  connectionOptions: typeof connectionOptions;
  personas: typeof personas;
  mockTools: typeof mockTools;
  capabilities: typeof capabilities;
  providerKeys: typeof providerKeys;
  traces: typeof traces;
  turns: typeof turns;
  views: typeof views;
  metrics: typeof metrics;
  agentVersions: typeof agentVersions;
  exports: typeof parquetExports;
  runs: typeof runs;
  schedules: typeof schedules;
  simulations: typeof simulations;
  recordings: typeof recordings;
  sample: typeof sample;
  monitoring: typeof monitoring;
  graders: typeof graders;
  grades: typeof grades;
  judge: typeof judge;
  languageModel: typeof languageModel;
  review: typeof review;
  alertRules: typeof alertRules;
  alerts: typeof alerts;
  groups: typeof groups;
  events: typeof events;
  destinations: typeof destinations;
  health: typeof health;
  readiness: typeof readiness;
  conditions: typeof conditions;
  audit: typeof audit;
  changes: typeof changes;
  instance: typeof instance;
  service: typeof service;
  description: typeof description;
};

/** Operation with its full name: the family and the name, joined by a dot. */
export type NamedOperation = { name: string; operation: Operation };

/** All operations with their full names (`tests.create`), in the order of the OpenAPI document. */
export const allOperations: NamedOperation[] = Object.entries(operations).flatMap(([family, members]) =>
  Object.entries(members).map(([name, operation]) => ({
    name: `${family}.${name}`,
    operation: operation as Operation,
  })),
);
