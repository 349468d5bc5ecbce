import { type Answer, NO_RECOGNIZER, type operations, PersonaCapabilities } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { goneSignal } from "../../http/gone.ts";
import type { Routes } from "../../http/operation.ts";
import type { FindModelAccess, ModelAccess } from "../speech/access.ts";
import type { Catalogue, Provider } from "./catalogue/catalogue.ts";
import { toTag } from "./language-tag.ts";
import { type Capabilities, createCapabilities } from "./look-up.ts";
import type { ListVoices } from "./voice-listing.ts";

export function openCapabilities(listVoices: ListVoices, findAccess: FindModelAccess) {
  const capabilities = createCapabilities(listVoices);
  return { ...capabilities, routes: capabilityRoutes(capabilities, findAccess) };
}

function capabilityRoutes(capabilities: Capabilities, findAccess: FindModelAccess): Routes<"capabilities"> {
  return {
    capabilities: {
      get: async ({ caller, query, http }) => {
        const { ttsProvider, ttsModel, language, voiceId, refresh = false } = query;
        if (language !== undefined) requireTag(language);
        const stt = recognizerOf(query);
        const selection = {
          tts: { provider: ttsProvider, model: ttsModel },
          ...(stt && { stt }),
          ...(language !== undefined && { language }),
          ...(voiceId !== undefined && { voiceId }),
        };
        const options = { refresh, signal: goneSignal(http.res) };
        return PersonaCapabilities.parse(await capabilities.lookUp(caller.organizationId, selection, options));
      },

      models: async ({ caller }) => presentModels(capabilities.catalogue(), await findAccess(caller.organizationId)),
    },
  };
}

function recognizerOf({ sttProvider: provider, sttModel: model }: { sttProvider: string; sttModel: string }) {
  if ((provider === NO_RECOGNIZER) === (model === NO_RECOGNIZER))
    return provider === NO_RECOGNIZER ? undefined : { provider, model };
  throw new AppError(
    "unprocessable",
    `Send \`${NO_RECOGNIZER}\` as \`sttProvider\` and as \`sttModel\`, or as neither.`,
  );
}

function requireTag(language: string): void {
  if (toTag(language) !== undefined) return;
  throw new AppError("unprocessable", `Write \`language\` as a BCP 47 tag, such as en or en-GB.`);
}

type Models = Answer<typeof operations.capabilities.models>;

function presentModels(
  { version, textToSpeech, speechToText }: Catalogue,
  accessTo: Awaited<ReturnType<FindModelAccess>>,
): Models {
  return {
    version,
    textToSpeech: rows(
      textToSpeech,
      ({ notice }) => notice,
      (provider, model) => accessTo("tts", provider, model),
    ),
    speechToText: rows(
      speechToText,
      ({ closed }) => closed,
      (provider, model) => accessTo("stt", provider, model),
    ),
  };
}

function rows<Model extends { id: string }>(
  providers: ReadonlyMap<string, Provider<Model>>,
  noticeOf: (model: Model) => string | undefined,
  accessOf: (provider: string, model: string) => ModelAccess,
): Models["textToSpeech"] {
  return [...new Set(providers.values())].flatMap(({ id, models }) =>
    [...models.values()].map((model) => ({
      provider: id,
      model: model.id,
      notice: noticeOf(model) ?? null,
      access: accessOf(id, model.id),
    })),
  );
}
