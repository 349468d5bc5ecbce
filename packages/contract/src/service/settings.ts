import { z } from "zod";
import { readsOrganization } from "../core/access.ts";
import { count, positive } from "../core/numbers.ts";
import { getOperation } from "../core/resource-operations.ts";

/** The settings of the service that its users may know. None of them is a secret. */
export const ServiceSettings = z
  .strictObject({
    version: z.string().meta({ description: "Version of the service, such as `0.1.0`." }),
    baseUrl: z.string().meta({ description: "Address at which people and agents reach the service." }),
    languageModel: z
      .strictObject({
        model: z.string(),
        hasPrices: z
          .boolean()
          .meta({ description: "Whether the service knows the model's prices, so that runs have a cost." }),
      })
      .nullable()
      .meta({ description: "The model that judges and plays callers; null without one." }),
    mail: z.boolean().meta({ description: "Whether the service sends mail, such as invitations and password resets." }),
    openSignUp: z.boolean().meta({ description: "Whether anyone can sign up without an invitation." }),
    outboundPrivate: z
      .boolean()
      .meta({ description: "Whether the service calls agents at private and loopback addresses." }),
    retentionDays: positive("Days after which conversations are erased; null: they are kept.").nullable(),
    rateLimit: z
      .strictObject({
        perMinute: positive("Requests of one key, or of one session, in a minute."),
        remaining: count("Requests that are left to this credential in its minute."),
        resetSeconds: count("Seconds until the minute of this credential ends."),
      })
      .meta({ description: "The rate limit of the credential of this request." }),
    ingestPerMinute: positive(
      "Requests to trace ingest in a minute; null: they count with all other requests.",
    ).nullable(),
  })
  .meta({ id: "ServiceSettings" });
export type ServiceSettings = z.infer<typeof ServiceSettings>;

/** The service as its users see it. */
export const service = {
  /** Returns the version and the settings of the service, and the rate limit of the credential. */
  get: getOperation({
    ...readsOrganization,
    tag: "Service",
    path: "/v1/service",
    summary: "Show the version and settings of the service",
    answer: z.strictObject({ service: ServiceSettings }),
  }),
};
