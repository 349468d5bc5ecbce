import { readOrganizationId } from "../../access/projects.ts";
import { createRecentCache } from "../../base/async/recent-cache.ts";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import { LanguageModelFailure } from "./failure.ts";
import { createLanguageModel, type LanguageModel } from "./language-model.ts";
import { decideLanguageModel, presentConfigured, presentStored, pricesOf, setBySettings } from "./rules.ts";
import { createLanguageModelStore, type LanguageModelRow } from "./store.ts";

/** Number of organizations whose clients are kept. A client remembers which form of requests its endpoint accepts. */
const CLIENTS_KEPT = 500;

/** Language models by organization. Undefined: the organization has none, and the settings of the service name none. */
export type LanguageModels = {
  ofOrganization: (organizationId: string) => Promise<LanguageModel | undefined>;
  ofProject: (projectId: string) => Promise<LanguageModel | undefined>;
  /** Returns the organization whose own model `ofProject` returns; empty when the model is of the settings. */
  ownerOf: (organizationId: string) => string;
};

export function openLanguageModels({ config, db, sealed }: ServiceContext) {
  const store = createLanguageModelStore(db, sealed);
  const clients = createRecentCache<{ revision: string; model: LanguageModel }>(CLIENTS_KEPT);
  const configured =
    config.languageModel && createLanguageModel({ ...config.languageModel, privateAddresses: "allow" });

  async function clientOf(row: LanguageModelRow): Promise<LanguageModel> {
    const kept = clients.get(row.organization_id);
    if (kept?.revision === row.revision) return kept.model;
    const apiKey = await store.openKey(row.organization_id);
    if (apiKey === undefined) return unreadable(row);
    const model = createLanguageModel({
      baseUrl: row.base_url,
      apiKey,
      model: row.model,
      prices: pricesOf(row),
      privateAddresses: config.outboundPrivate ? "allow" : "refuse",
    });
    clients.set(row.organization_id, { revision: row.revision, model });
    return model;
  }

  async function ofOrganization(organizationId: string): Promise<LanguageModel | undefined> {
    if (configured) return configured;
    const row = await store.find(organizationId);
    return row && clientOf(row);
  }

  const models: LanguageModels = {
    ofOrganization,
    ofProject: async (projectId) => configured ?? ofOrganization(await readOrganizationId(db, projectId)),
    ownerOf: (organizationId) => (configured ? "" : organizationId),
  };

  const routes: Routes<"languageModel"> = {
    languageModel: {
      async get({ caller }) {
        if (config.languageModel) return { languageModel: presentConfigured(config.languageModel) };
        const stored = await store.findWithHint(caller.organizationId);
        return { languageModel: stored ? presentStored(stored) : null };
      },

      async set({ caller, body }) {
        if (configured) throw setBySettings();
        const stored = await store.set(caller.organizationId, (current) => decideLanguageModel(current, body));
        return { languageModel: presentStored(stored) };
      },

      delete: ({ caller }) => store.delete(caller.organizationId),
    },
  };

  return { models, routes };
}

const unreadable = ({ model, price_input }: LanguageModelRow): LanguageModel => ({
  model,
  hasPrices: price_input !== null,
  complete: () =>
    Promise.reject(
      new LanguageModelFailure("credential_rejected", "has a key that cannot be decrypted; set it again."),
    ),
});
