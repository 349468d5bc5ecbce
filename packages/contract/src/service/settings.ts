import { z } from "zod";
import { managesOrganization, readsOrganization } from "../core/access.ts";
import { count, positive } from "../core/numbers.ts";
import { operation } from "../core/operation.ts";
import { getOperation } from "../core/resource-operations.ts";

/** Settings of the service that its users may see. None of them is a secret. */
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
      .meta({
        description: "The language model that judges behaviors and plays callers; null without a language model.",
      }),
    mail: z.boolean().meta({ description: "Whether the service sends mail, such as invitations and password resets." }),
    openSignUp: z.boolean().meta({ description: "Whether anyone can sign up without an invitation." }),
    outboundPrivate: z
      .boolean()
      .meta({ description: "Whether the service calls agents at private and loopback addresses." }),
    retentionDays: positive(
      "Number of days after which conversations are erased; null: they are never erased.",
    ).nullable(),
    auditRetentionDays: positive("Number of days after which lines of the audit are deleted."),
    rateLimit: z
      .strictObject({
        perMinute: positive("Maximum number of requests of one API key, or of one session, in a minute."),
        remaining: count("Number of requests that this credential may still send in the current minute."),
        resetSeconds: count("Seconds until the current minute of this credential ends."),
      })
      .meta({ description: "The rate limit of the credential of this request." }),
    ingestPerMinute: positive(
      "Maximum number of trace ingest requests in a minute; null: `rateLimit` applies to them, as to all other requests.",
    ).nullable(),
  })
  .meta({ id: "ServiceSettings" });
export type ServiceSettings = z.infer<typeof ServiceSettings>;

/** Result of a check of a dependency of the service, such as the language model. */
export const ServiceCheck = z
  .strictObject({
    name: z.string().meta({ example: "language model" }),
    state: z
      .enum(["ok", "note", "wrong"])
      .meta({ description: "`note`: nothing is wrong, but something is not set up." }),
    finding: z.string(),
    remedy: z.string().nullable().meta({ description: "A sentence that says what to do; null when nothing is to do." }),
    mend: z.string().nullable().meta({
      deprecated: true,
      description: "The former name of `remedy`. The next version of the API has only `remedy`.",
    }),
  })
  .meta({ id: "ServiceCheck" });
export type ServiceCheck = z.infer<typeof ServiceCheck>;

/** Version, settings and checks of the service. */
export const service = {
  /** Returns the version and the settings of the service, and the rate limit of the request's credential. */
  get: getOperation({
    ...readsOrganization,
    tag: "Service",
    path: "/v1/service",
    summary: "Show the version and settings of the service",
    answer: z.strictObject({ service: ServiceSettings }),
  }),

  /**
   * Checks the dependencies of the service. Sends one short request to the language model, requests the voices of each speech
   * provider of the organization, and reads the free space on the disk. Requires the role admin.
   */
  check: operation({
    ...managesOrganization,
    method: "POST",
    path: "/v1/service/checks",
    audit: { leftOut: "It stores nothing." },
    summary: "Check the language model, the speech providers and the disk",
    description:
      "Sends one short request to the language model, which costs a few tokens, and asks each speech provider for its voices.",
    tag: "Service",
    status: 200,
    answer: z.strictObject({ checks: z.array(ServiceCheck) }),
  }),
};
