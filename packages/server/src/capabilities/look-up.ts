import type { PersonaCapabilities } from "@svc/contract";
import { refusalOf, type Refusal, type Traits } from "./allows.ts";
import { readCatalogue } from "./catalogue/catalogue.ts";
import type { ModelName, Selection } from "./pair.ts";
import { listingProviderOf, resolve } from "./resolve.ts";
import type { ListVoices, VoiceListing } from "./voice-listing.ts";

export type Capabilities = ReturnType<typeof createCapabilities>;

type Options = Parameters<ListVoices>[2];

/** The catalogue, with the voices of an organization's accounts when a selection needs them. */
export function createCapabilities(listVoices: ListVoices) {
  const catalogue = readCatalogue();

  const listing = async (organizationId: string, selection: Selection, options: Options): Promise<VoiceListing> => {
    const provider = listingProviderOf(selection, catalogue);
    return provider === undefined ? { state: "not_listable" } : listVoices(organizationId, provider, options);
  };

  return {
    catalogue,

    async lookUp(organizationId: string, selection: Selection, options: Options): Promise<PersonaCapabilities> {
      return resolve(selection, catalogue, await listing(organizationId, selection, options));
    },

    /** Why the models do not allow the traits; undefined when they do, or when it cannot be known. */
    async refusalOf(
      organizationId: string,
      models: { tts: ModelName; stt?: ModelName },
      traits: Traits,
    ): Promise<Refusal | undefined> {
      return refusalOf(models, traits, catalogue, await listing(organizationId, models, { refresh: false }));
    },
  };
}
