import { KEY_PROVIDERS, type KeyProvider, type ProviderKey, providerKeyProblem } from "@svc/contract";
import type { z } from "zod";
import { AppError } from "../../base/errors.ts";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import { createProviderKeyStore, type ProviderKeyInput, type ProviderKeyRow, type ProviderKeyStore } from "./store.ts";

export function openProviderKeys({ db, sealed }: ServiceContext) {
  const store = createProviderKeyStore(db, sealed);
  return { store, routes: providerKeyRoutes(store) };
}

function providerKeyRoutes(store: ProviderKeyStore): Routes<"providerKeys"> {
  return {
    providerKeys: {
      list: async ({ caller }) => ({
        providerKeys: (await store.list(caller.organizationId)).map(presentKey),
      }),

      set: async ({ caller, params, body }) => ({
        providerKey: presentKey(await store.set(caller.organizationId, decideKey(params.provider, body))),
      }),

      delete: ({ caller, params }) => store.delete(caller.organizationId, params.provider),
    },
  };
}

const presentKey = (row: ProviderKeyRow): z.infer<typeof ProviderKey> => ({
  provider: row.provider,
  hint: row.hint,
  region: row.region,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function decideKey(
  provider: string,
  { apiKey, region }: { apiKey: string; region?: string | undefined },
): ProviderKeyInput {
  if (!isKeyProvider(provider))
    throw new AppError(
      "not_found",
      `The service stores no keys for this provider. Choose one of ${Object.keys(KEY_PROVIDERS).join(", ")}.`,
    );
  const problem = providerKeyProblem(provider, { apiKey, region });
  if (problem) throw new AppError("unprocessable", problem);
  return { provider, apiKey, region: region ?? null };
}

const isKeyProvider = (provider: string): provider is KeyProvider => Object.hasOwn(KEY_PROVIDERS, provider);
