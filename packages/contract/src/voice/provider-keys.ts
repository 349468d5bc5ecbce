import { z } from "zod";
import { managesOrganization } from "../core/access.ts";
import { timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { deleteOperation, getOperation } from "../core/resource-operations.ts";
import { VISIBLE_ASCII } from "../core/texts.ts";

/**
 * The speech providers whose keys the service stores: the providers that list the voices of an account. `form` describes a
 * provider's key, and `regional` says whether the key works in one region only. Providers with a public voice list need no key.
 */
export const KEY_PROVIDERS = {
  cartesia: { regional: false, form: "an API key" },
  elevenlabs: { regional: false, form: "an API key that may read voices" },
  deepgram: { regional: false, form: "an API key" },
  minimax: { regional: false, form: "an API key" },
  inworld: { regional: false, form: "the Base64 form of an API key, as the portal shows it" },
  hume: { regional: false, form: "an API key" },
  lmnt: { regional: false, form: "an API key" },
  azure: { regional: true, form: "a key of a Speech resource" },
  google: { regional: false, form: "an API key that may use Text-to-Speech" },
  polly: { regional: true, form: "an access key id and its secret access key, joined by a colon" },
} as const satisfies Record<string, { regional: boolean; form: string }>;
/** A provider of `KEY_PROVIDERS`. */
export type KeyProvider = keyof typeof KEY_PROVIDERS;

/** Pattern of a cloud region, such as `westeurope` or `eu-central-1`. The region becomes part of a host name. */
export const REGION_PATTERN = /^[a-z][a-z0-9-]{1,30}[a-z0-9]$/;

/** Returns why a key is not valid for its provider, as a sentence with the fix; undefined for a valid key. */
export function providerKeyProblem(
  provider: KeyProvider,
  { apiKey, region }: { apiKey: string; region?: string | undefined },
): string | undefined {
  const { regional, form } = KEY_PROVIDERS[provider];
  if (regional && region === undefined) return `A key for ${provider} needs a region. Add its region.`;
  if (!regional && region !== undefined) return `A key for ${provider} has no region. Omit the region.`;
  if (provider === "polly" && !/^[^:]+:[^:]+$/.test(apiKey)) return `A key for polly is ${form}.`;
  return undefined;
}

/** A stored provider key. No response contains the key itself. */
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

/** The organization's keys for speech providers, for admins. */
export const providerKeys = {
  /** Lists the organization's keys for speech providers. Each entry shows only the key's last four characters. */
  list: getOperation({
    ...common,
    path: "/v1/provider-keys",
    summary: "List provider keys",
    answer: z.strictObject({ providerKeys: z.array(ProviderKey) }),
  }),

  /** Seals and stores a provider's key. It replaces the former key and deletes the voices that the former key listed. */
  set: operation({
    ...one,
    method: "PUT",
    summary: "Set a provider key",
    description:
      "The service seals the key and never returns it. It does not test the key now; a later lookup of voices reports a key that the provider rejects.",
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

  /** Deletes a provider's key and the voices that it listed. */
  delete: deleteOperation({ ...one, summary: "Delete a provider key" }),
};
