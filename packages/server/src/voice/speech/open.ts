import type { ServiceContext } from "../../context.ts";
import type { Capabilities } from "../capabilities/look-up.ts";
import type { ProviderKeyStore } from "../provider-keys/store.ts";
import { createFindSpeechAccess } from "./access.ts";
import { SPEECH_BOUNDS, type SpeechBounds } from "./ask-provider.ts";
import { openFlite } from "./flite/flite.ts";
import { createFindPersonaSound } from "./persona-sounds.ts";
import type { SpeechProviderId } from "./providers.ts";
import { createRecognizer, type HearingModel } from "./recognizer.ts";
import type { Recognizer } from "./speech.ts";
import { createSynthesizers } from "./synthesizer.ts";
import { createVoiceSamples } from "./voice-samples.ts";

export type Speech = ReturnType<typeof openSpeech>;

/** Dependencies that specs replace: the addresses of providers, and the limits of a request. */
export type SpeechOverrides = { addressOf?: (provider: SpeechProviderId) => URL; bounds?: Partial<SpeechBounds> };

type UsedFeatures = { keys: ProviderKeyStore; capabilities: Pick<Capabilities, "lookUp"> };

export function openSpeech(
  { config, log }: Pick<ServiceContext, "config" | "log">,
  { keys, capabilities }: UsedFeatures,
  around: SpeechOverrides = {},
) {
  const flite = openFlite(log);
  const findAccess = createFindSpeechAccess({ keys, config, addressOf: around.addressOf });
  const bounds = { ...SPEECH_BOUNDS, ...around.bounds };
  const synthesizers = createSynthesizers({ flite, findAccess, bounds });
  const findPersonaSound = createFindPersonaSound(capabilities, findAccess);
  const { stt, sttModel } = config.speech;
  const deploymentModel = stt && sttModel !== undefined ? { provider: "openai", model: sttModel } : undefined;

  return {
    synthesizerOf: synthesizers.synthesizerOf,
    findPersonaSound,
    voiceSampleOf: createVoiceSamples(findPersonaSound, synthesizers.synthesizerOf),

    recognizerOf(organizationId: string, model: HearingModel | undefined): Recognizer | undefined {
      const hearing = model ?? deploymentModel;
      return hearing && createRecognizer({ findAccess, bounds }, organizationId, hearing);
    },

    async close(): Promise<void> {
      synthesizers.close();
      await flite.close();
    },
  };
}
