import type { Routes } from "../../http/operation.ts";
import { presentKey } from "./present.ts";
import { decideKey } from "./rules.ts";
import type { ProviderKeyStore } from "./store.ts";

export function providerKeyRoutes(store: ProviderKeyStore): Routes<"providerKeys"> {
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
