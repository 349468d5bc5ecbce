import { NO_RECOGNIZER, PersonaCapabilities } from "@svc/contract";
import { AppError } from "../../base/errors.ts";
import { goneSignal } from "../../http/gone.ts";
import type { Routes } from "../../http/operation.ts";
import { toTag } from "./language-tag.ts";
import type { Capabilities } from "./look-up.ts";
import { presentModels } from "./present.ts";

export function capabilityRoutes(capabilities: Capabilities): Routes<"capabilities"> {
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

      models: async () => presentModels(capabilities.catalogue()),
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
