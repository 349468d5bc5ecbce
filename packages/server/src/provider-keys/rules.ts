import { KEY_PROVIDERS, type KeyProvider, type ProviderKey } from "@svc/contract";
import type { z } from "zod";
import { AppError, notFound } from "../errors.ts";
import type { Schema } from "../stores/schema.ts";

export type ProviderKeyRow = Schema["provider_keys"] & { hint: string };
export type KeyToKeep = { provider: KeyProvider; apiKey: string; region: string | null };

/** The record under which a provider's key is sealed. */
export const ownerOf = (organizationId: string, provider: string) => `${organizationId}/${provider}`;

export function decideKey(
  provider: string,
  { apiKey, region }: { apiKey: string; region?: string | undefined },
): KeyToKeep {
  if (!isKeyProvider(provider))
    throw notFound(`There is no such provider; keys are taken for ${Object.keys(KEY_PROVIDERS).join(", ")}.`);
  const { regional, form } = KEY_PROVIDERS[provider];
  if (regional && region === undefined)
    throw new AppError("unprocessable", `A key of ${provider} belongs to a region: send it as \`region\`.`);
  if (!regional && region !== undefined)
    throw new AppError("unprocessable", `A key of ${provider} belongs to no region: omit \`region\`.`);
  if (provider === "polly" && !/^[^:]+:[^:]+$/.test(apiKey))
    throw new AppError("unprocessable", `A key of polly is ${form}.`);
  return { provider, apiKey, region: region ?? null };
}

export const isKeyProvider = (provider: string): provider is KeyProvider => Object.hasOwn(KEY_PROVIDERS, provider);

export const presentKey = (row: ProviderKeyRow): z.infer<typeof ProviderKey> => ({
  provider: row.provider,
  hint: row.hint,
  region: row.region,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
