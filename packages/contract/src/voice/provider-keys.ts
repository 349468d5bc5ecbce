import { z } from "zod";
import { managesOrganization, overseesOrganization } from "../core/access.ts";
import { timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { deleteOperation, getOperation } from "../core/resource-operations.ts";
import { VISIBLE_ASCII } from "../core/texts.ts";
import { KEY_PROVIDERS, REGION_PATTERN } from "./key-providers.ts";

/** Stored key of a speech provider. No response contains the key itself. */
export const ProviderKey = z
  .strictObject({
    provider: z.string().meta({ example: "cartesia" }),
    hint: z.string().meta({ description: "Last four characters of the key.", example: "x9Qk" }),
    region: z.string().nullable().meta({ description: "Null for a provider whose keys have no region." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "ProviderKey" });

const common = { tag: "Provider keys", ...managesOrganization } as const;
const one = {
  ...common,
  path: "/v1/provider-keys/{provider}",
  params: z.strictObject({
    provider: z
      .string()
      .min(1)
      .meta({ description: `One of ${Object.keys(KEY_PROVIDERS).join(", ")}.`, example: "cartesia" }),
  }),
} as const;

/** Keys of an organization for speech providers. */
export const providerKeys = {
  /** Lists the organization's keys for speech providers, with only the last four characters of each key. */
  list: getOperation({
    ...common,
    ...overseesOrganization,
    path: "/v1/provider-keys",
    audit: "read",
    summary: "List provider keys",
    answer: z.strictObject({ providerKeys: z.array(ProviderKey) }),
  }),

  /** Encrypts and stores a key of a provider. Replaces the former key, and deletes the stored list of voices of the former key. */
  set: operation({
    ...one,
    method: "PUT",
    summary: "Set a provider key",
    description:
      "The service encrypts the key and never returns it. The service does not test the key now; when the provider rejects the key, a later request for its voices reports that.",
    body: z.strictObject({
      apiKey: z
        .string()
        .trim()
        .min(LIMITS.providerKeyCharactersMin)
        .max(LIMITS.providerKeyCharactersMax)
        .refine((text) => VISIBLE_ASCII.test(text), "Use only visible ASCII characters, without spaces.")
        .meta({
          description: `The provider's key: usually an API key. Exceptions: ${Object.entries(KEY_PROVIDERS)
            .filter(([, { form }]) => form !== "an API key")
            .map(([provider, { form }]) => `${provider}: ${form}`)
            .join("; ")}.`,
        }),
      region: z
        .string()
        .trim()
        .min(3)
        .max(32)
        .refine((text) => REGION_PATTERN.test(text), "Use lower-case letters, digits and hyphens.")
        .optional()
        .meta({
          description: "Region of the key. Required for azure and polly; not allowed for other providers.",
          example: "westeurope",
        }),
    }),
    status: 200,
    answer: z.strictObject({ providerKey: ProviderKey }),
  }),

  /** Deletes the key of a provider, and the stored list of voices of this key. */
  delete: deleteOperation({ ...one, summary: "Delete a provider key" }),
};
