import type { Answer, operations } from "@svc/contract";
import type { Catalogue, Provider } from "./catalogue/catalogue.ts";

type Models = Answer<typeof operations.capabilities.models>;

export function presentModels({ version, textToSpeech, speechToText }: Catalogue): Models {
  return {
    version,
    textToSpeech: rows(textToSpeech, ({ notice }) => notice),
    speechToText: rows(speechToText, ({ closed }) => closed),
  };
}

function rows<Model extends { id: string }>(
  providers: ReadonlyMap<string, Provider<Model>>,
  noticeOf: (model: Model) => string | undefined,
): Models["textToSpeech"] {
  return [...new Set(providers.values())].flatMap(({ id, models }) =>
    [...models.values()].map((model) => ({ provider: id, model: model.id, notice: noticeOf(model) ?? null })),
  );
}
