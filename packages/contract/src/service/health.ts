import { z } from "zod";
import { operation } from "../core/operation.ts";

const reach = z.enum(["reachable", "unreachable"]);

/** Whether the service and each of its stores answer. */
export const Health = z
  .strictObject({ status: z.enum(["ok", "unavailable"]), relational_store: reach, analytics_store: reach })
  .meta({ id: "Health" });

/** Whether the service works. */
export const health = {
  /** Tells whether both data stores answer. */
  get: operation({
    method: "GET",
    path: "/health",
    summary: "Reachability of the two data stores",
    tag: "Service",
    credential: "public",
    scope: "none",
    status: 200,
    answer: Health,
    alsoStatus: { 503: "A store does not answer, or the service is stopping." },
  }),
};

/** What the service takes and answers. */
export const description = {
  /** The OpenAPI 3.1.0 document of this interface. */
  openapi: operation({
    method: "GET",
    path: "/openapi.json",
    summary: "This description",
    tag: "Service",
    credential: "public",
    scope: "none",
    status: 200,
    answer: z.looseObject({ openapi: z.literal("3.1.0") }),
  }),
};
