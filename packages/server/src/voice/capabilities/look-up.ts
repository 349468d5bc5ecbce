import type { PersonaCapabilities } from "@svc/contract";
import { refusalOf, type TraitRefusal, type VoiceTraits } from "./allows.ts";
import { type Catalogue, readCatalogue } from "./catalogue/catalogue.ts";
import type { ModelName, SpeechSelection } from "./pair.ts";
import { listingProviderOf, resolve } from "./resolve.ts";
import type { ListVoices, VoiceListing } from "./voice-listing.ts";

type Options = Parameters<ListVoices>[2];

export type Capabilities = {
  catalogue: () => Catalogue;
  lookUp: (organizationId: string, selection: SpeechSelection, options: Options) => Promise<PersonaCapabilities>;
  /** Returns undefined when the models allow the traits, or when their capabilities are unknown. */
  refusalOf: (
    organizationId: string,
    models: { tts: ModelName; stt?: ModelName },
    traits: VoiceTraits,
  ) => Promise<TraitRefusal | undefined>;
};

export function createCapabilities(listVoices: ListVoices): Capabilities {
  async function listing(organizationId: string, selection: SpeechSelection, options: Options): Promise<VoiceListing> {
    const provider = listingProviderOf(selection, readCatalogue());
    return provider === undefined ? { state: "not_listable" } : listVoices(organizationId, provider, options);
  }

  return {
    catalogue: readCatalogue,

    lookUp: async (organizationId, selection, options) =>
      resolve(selection, readCatalogue(), await listing(organizationId, selection, options)),

    refusalOf: async (organizationId, models, traits) =>
      refusalOf(models, traits, readCatalogue(), await listing(organizationId, models, { refresh: false })),
  };
}
