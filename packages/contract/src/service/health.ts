import { z } from "zod";
import { operation } from "../core/operation.ts";

const reach = z.enum(["reachable", "unreachable"]);

/**
 * Health of the service, and whether each of its two data stores answers. `degraded` is true while the service works with a
 * problem, such as damaged data; admins read the reasons with `GET /v1/conditions`. `relational_engine` and `analytics_engine` name
 * the database programs of the stores.
 */
export const Health = z
  .strictObject({
    status: z.enum(["ok", "unavailable"]),
    degraded: z.boolean(),
    relational_store: reach,
    relational_engine: z.enum(["sqlite", "postgresql"]),
    analytics_store: reach,
    analytics_engine: z.enum(["duckdb", "clickhouse"]),
  })
  .meta({ id: "Health" });

/** Reasons why a process may receive no traffic. When several apply, the answer contains the first of them in this order. */
export const UNREADY_REASONS = [
  "stopping",
  "relational_store_unreachable",
  "analytics_store_unreachable",
  "conversations_rebuilding",
] as const;
/** Reason why a process may receive no traffic. */
export type UnreadyReason = (typeof UNREADY_REASONS)[number];

/** Readiness of this process for traffic. `reason` and `message` are null when the status is `ready`. */
export const Readiness = z
  .strictObject({
    status: z.enum(["ready", "not_ready"]),
    reason: z.enum(UNREADY_REASONS).nullable(),
    message: z.string().nullable().meta({ description: "The reason as a sentence for people." }),
  })
  .meta({ id: "Readiness" });

const common = { method: "GET", tag: "Service", credential: "public", scope: "none", status: 200 } as const;

/** Health of the service. */
export const health = {
  /**
   * Returns whether both data stores answer, and whether the service has another problem. The status is 503 when a store does not
   * answer or the service is stopping. Other problems do not change the status.
   */
  get: operation({
    ...common,
    path: "/health",
    summary: "Show the service's health",
    answer: Health,
    alsoStatus: { 503: "A data store does not answer, or the service is stopping." },
  }),
};

/** Readiness of this process for traffic. */
export const readiness = {
  /**
   * Returns whether a load balancer may send requests to this process. The status is 503, with the reason, while a store does not
   * answer, while the process is stopping, and while it rebuilds its conversations, because lists are then incomplete.
   */
  get: operation({
    ...common,
    path: "/ready",
    summary: "Show whether this process may receive traffic",
    answer: Readiness,
    alsoStatus: { 503: "The process may receive no traffic now; the answer says why." },
  }),
};

/** Facts about the instance that a client needs before a person signs in. */
export const instance = {
  /**
   * Returns whether the instance is claimed, which means that a first user has signed up, and whether it offers open sign-up, single
   * sign-on and mail.
   */
  get: operation({
    ...common,
    path: "/api/instance",
    summary: "Show whether the instance is claimed",
    answer: z.strictObject({
      claimed: z.boolean().meta({ description: "False until the first person signs up." }),
      open_sign_up: z.boolean().meta({ description: "Whether anyone can sign up without an invitation." }),
      mail: z.boolean().meta({ description: "Whether the service sends mail, such as password resets." }),
      single_sign_on: z
        .boolean()
        .meta({ description: "Whether members of an organization can sign in with its identity provider." }),
    }),
  }),
};

/** Description of the API. */
export const description = {
  /** Returns the OpenAPI 3.1.0 document of the API. */
  openapi: operation({
    ...common,
    path: "/openapi.json",
    summary: "Show the OpenAPI document",
    answer: z.looseObject({ openapi: z.literal("3.1.0") }),
  }),
};
