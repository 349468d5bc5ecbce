import { accounts, invitations, members } from "./accounts.ts";
import { agents } from "./agents.ts";
import { keys } from "./api-keys.ts";
import { connectionOptions } from "./connection-options.ts";
import { connections } from "./connections.ts";
import { capabilities } from "./capabilities.ts";
import { graders } from "./graders.ts";
import { grades } from "./grades.ts";
import { description, health } from "./health.ts";
import { mockTools } from "./mock-tools.ts";
import type { Operation } from "./operation.ts";
import { metrics } from "./metrics.ts";
import { monitoring } from "./monitoring.ts";
import { organization } from "./organizations.ts";
import { personas } from "./personas.ts";
import { projects } from "./projects.ts";
import { runs } from "./runs.ts";
import { providerKeys } from "./provider-keys.ts";
import { simulations } from "./simulations.ts";
import { suites } from "./suites.ts";
import { tests } from "./tests.ts";
import { traces } from "./trace-operations.ts";

/** The whole interface: `operations.tests.create` is the endpoint behind `client.tests.create()`. */
export const operations: Operations = {
  accounts,
  invitations,
  members,
  keys,
  organization,
  projects,
  suites,
  tests,
  agents,
  connections,
  connectionOptions,
  personas,
  mockTools,
  capabilities,
  providerKeys,
  traces,
  metrics,
  runs,
  simulations,
  monitoring,
  graders,
  grades,
  health,
  description,
};

/** The families by their own types, so that declarations refer to them, with the doc comment of each operation. */
export type Operations = {
  accounts: typeof accounts;
  invitations: typeof invitations;
  members: typeof members;
  keys: typeof keys;
  organization: typeof organization;
  projects: typeof projects;
  suites: typeof suites;
  tests: typeof tests;
  agents: typeof agents;
  connections: typeof connections;
  connectionOptions: typeof connectionOptions;
  personas: typeof personas;
  mockTools: typeof mockTools;
  capabilities: typeof capabilities;
  providerKeys: typeof providerKeys;
  traces: typeof traces;
  metrics: typeof metrics;
  runs: typeof runs;
  simulations: typeof simulations;
  monitoring: typeof monitoring;
  graders: typeof graders;
  grades: typeof grades;
  health: typeof health;
  description: typeof description;
};

/** An operation with its family and its own name, joined by a dot. */
export type NamedOperation = { name: string; operation: Operation };

/** Every operation with its name (`tests.create`), in the order of the document. */
export const allOperations: NamedOperation[] = Object.entries(operations).flatMap(([family, members]) =>
  Object.entries(members).map(([name, operation]) => ({
    name: `${family}.${name}`,
    operation: operation as Operation,
  })),
);
