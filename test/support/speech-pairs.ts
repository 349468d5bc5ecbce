import { readCatalogue } from "../../packages/server/src/voice/capabilities/catalogue/catalogue.ts";
import type { ModelName } from "../../packages/server/src/voice/capabilities/pair.ts";
import type { ListedVoice, VoiceListing } from "../../packages/server/src/voice/capabilities/voice-listing.ts";

export const catalogue = readCatalogue();

type Providers = ReadonlyMap<string, { id: string; models: ReadonlyMap<string, unknown> }>;

const modelsOf = (providers: Providers): ModelName[] =>
  [...new Set(providers.values())].flatMap(({ id, models }) =>
    [...models.keys()].map((model) => ({ provider: id, model })),
  );

export const SPEAKERS = modelsOf(catalogue.textToSpeech);
export const RECOGNIZERS = modelsOf(catalogue.speechToText);

/** Reads a model from the form `provider/model` of the command line. */
export function named(text: string): ModelName {
  const slash = text.indexOf("/");
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

export const aVoice = (more: Partial<ListedVoice> = {}): ListedVoice => ({
  id: "v1",
  name: "Vera",
  source: "standard",
  presentation: "female",
  languages: [],
  accents: [],
  ...more,
});

export const listed = (...voices: ListedVoice[]): VoiceListing => ({ state: "listed", voices, standardOnly: false });

export const NO_KEY: VoiceListing = { state: "no_key" };
