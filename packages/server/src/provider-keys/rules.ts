import { KEY_PROVIDERS, type KeyProvider, type ProviderKey, providerKeyFault } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../errors.ts";
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
    throw new AppError(
      "not_found",
      `There is no such provider; keys are taken for ${Object.keys(KEY_PROVIDERS).join(", ")}.`,
    );
  const fault = providerKeyFault(provider, { apiKey, region });
  if (fault) throw new AppError("unprocessable", fault);
  return { provider, apiKey, region: region ?? null };
}

const isKeyProvider = (provider: string): provider is KeyProvider => Object.hasOwn(KEY_PROVIDERS, provider);

export const presentKey = (row: ProviderKeyRow): z.infer<typeof ProviderKey> => ({
  provider: row.provider,
  hint: row.hint,
  region: row.region,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
