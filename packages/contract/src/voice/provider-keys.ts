import { z } from "zod";
import { managesOrganization } from "../core/access.ts";
import { timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { VISIBLE_ASCII } from "../core/texts.ts";

/**
 * The speech providers whose keys the service keeps, with what their key is and whether it belongs to a region. They are
 * those that list the voices of an account; a provider that lists its voices to anybody needs no key.
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
/** One of the providers of `KEY_PROVIDERS`. */
export type KeyProvider = keyof typeof KEY_PROVIDERS;

/** The form of a cloud region, such as `westeurope` or `eu-central-1`. It becomes part of a host name. */
export const REGION_PATTERN = /^[a-z][a-z0-9-]{1,30}[a-z0-9]$/;

/** What keeps a key from being one of this provider, as a sentence that says the mend; undefined when nothing does. */
export function providerKeyFault(
  provider: KeyProvider,
  { apiKey, region }: { apiKey: string; region?: string | undefined },
): string | undefined {
  const { regional, form } = KEY_PROVIDERS[provider];
  if (regional && region === undefined) return `A key of ${provider} belongs to a region: name it.`;
  if (!regional && region !== undefined) return `A key of ${provider} belongs to no region: omit it.`;
  if (provider === "polly" && !/^[^:]+:[^:]+$/.test(apiKey)) return `A key of polly is ${form}.`;
  return undefined;
}

/** A kept provider key as every answer shows it: never the key itself. */
export const ProviderKey = z
  .strictObject({
    provider: z.string().meta({ example: "cartesia" }),
    hint: z.string().meta({ description: "The key's last four characters.", example: "x9Qk" }),
    region: z.string().nullable().meta({ description: "Null for a provider whose keys belong to no region." }),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "ProviderKey" });

const params = z.strictObject({
  provider: z
    .string()
    .min(1)
    .meta({ description: `One of ${Object.keys(KEY_PROVIDERS).join(", ")}.`, example: "cartesia" }),
});
const tag = "Provider keys";

/** The organization's keys of speech providers, for admins. */
export const providerKeys = {
  /** Lists the organization's keys of speech providers, by their last four characters; admins only. */
  list: operation({
    method: "GET",
    path: "/v1/provider-keys",
    summary: "List provider keys",
    tag,
    ...managesOrganization,
    status: 200,
    answer: z.strictObject({ providerKeys: z.array(ProviderKey) }),
  }),

  /** Keeps a provider's key, sealed, in place of the former one. Voices that the former one listed are forgotten. */
  set: operation({
    method: "PUT",
    path: "/v1/provider-keys/{provider}",
    summary: "Set a provider key",
    description:
      "The key is sealed and no answer shows it again. It is not tried: a look-up of voices says when the provider refuses it.",
    tag,
    ...managesOrganization,
    params,
    body: z.strictObject({
      apiKey: z
        .string()
        .trim()
        .min(LIMITS.providerKeyCharactersMin)
        .max(LIMITS.providerKeyCharactersMax)
        .refine((text) => VISIBLE_ASCII.test(text), "Use visible ASCII characters, without spaces.")
        .meta({
          description: `The provider's key. Mostly an API key; otherwise: ${Object.entries(KEY_PROVIDERS)
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
        .meta({ description: "The key's region; azure and polly need it, others take none.", example: "westeurope" }),
    }),
    status: 200,
    answer: z.strictObject({ providerKey: ProviderKey }),
  }),

  /** Removes a provider's key, with the voices that it listed. */
  delete: operation({
    method: "DELETE",
    path: "/v1/provider-keys/{provider}",
    summary: "Remove a provider key",
    tag,
    ...managesOrganization,
    params,
    status: 204,
  }),
};
