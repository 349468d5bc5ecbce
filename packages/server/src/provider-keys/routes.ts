import { operations } from "@svc/contract";
import { type Route, route } from "../http/operation.ts";
import { decideKey, presentKey } from "./rules.ts";
import type { ProviderKeyStore } from "./store.ts";

export function providerKeyRoutes(store: ProviderKeyStore): Route[] {
  return [
    route(operations.providerKeys.list, async ({ caller }) => ({
      providerKeys: (await store.list(caller.organizationId)).map(presentKey),
    })),

    route(operations.providerKeys.set, async ({ caller, params, body }) => ({
      providerKey: presentKey(await store.set(caller.organizationId, decideKey(params.provider, body))),
    })),

    route(operations.providerKeys.delete, ({ caller, params }) => store.remove(caller.organizationId, params.provider)),
  ];
}
