import { Flags } from "@oclif/core";
import { NO_RECOGNIZER } from "@svc/contract/constants";
import { capabilityText } from "../authoring/capability-text.ts";
import { command } from "../command.ts";
import { limitFlag } from "../flags.ts";
import { paint } from "../terminal/output.ts";
import { usage } from "../refusal.ts";

const helpValue = "<provider/model>";

export default command({
  summary: "Show what speech models support",
  description:
    "Lists the voices, languages, accents, emotions, speeds and volumes that a persona can use with the models. See the models with `svc capabilities models`.",
  examples: [
    "<%= config.bin %> capabilities --tts built_in/flite",
    "<%= config.bin %> capabilities --tts openai/gpt-4o-mini-tts --stt deepgram/nova-3",
    "<%= config.bin %> capabilities --tts deepgram/aura-2 --stt deepgram/nova-3 --language fr --voice aura-2-agathe-fr",
  ],
  flags: {
    tts: Flags.string({ description: "Text-to-speech model.", helpValue, required: true }),
    stt: Flags.string({ description: "Speech-to-text model; without one, nothing limits the languages.", helpValue }),
    language: Flags.string({ description: "Language as a BCP 47 tag, such as en or en-GB.", helpValue: "<tag>" }),
    voice: Flags.string({ description: "Id of a voice.", helpValue: "<id>" }),
    refresh: Flags.boolean({ description: "Fetch the voices from the provider now." }),
    limit: limitFlag(),
  },
  async run({ startSession, flags }) {
    const tts = parseModel("--tts", flags.tts);
    const stt = flags.stt === undefined ? undefined : parseModel("--stt", flags.stt);
    const { client, projectId } = await startSession();
    return client.capabilities.get({
      projectId,
      ttsProvider: tts.provider,
      ttsModel: tts.model,
      sttProvider: stt?.provider ?? NO_RECOGNIZER,
      sttModel: stt?.model ?? NO_RECOGNIZER,
      language: flags.language,
      voiceId: flags.voice,
      refresh: Boolean(flags.refresh),
    });
  },
  show: (capabilities, { flags }) => `${titleOf(flags)}\n\n${capabilityText(capabilities, flags.limit)}`,
});

const titleOf = ({ tts, stt }: { tts: string; stt?: string | undefined }): string =>
  stt === undefined ? paint.bold(tts) : `${paint.bold(tts)} with ${paint.bold(stt)}`;

/** Splits at the first slash, because names of models may contain slashes. */
function parseModel(flag: string, text: string): { provider: string; model: string } {
  const slash = text.indexOf("/");
  const [provider, model] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash > 0 && model !== "") return { provider, model };
  throw usage(
    `Write ${flag} as provider/model, such as openai/tts-1. See the models with \`svc capabilities models\`.`,
  );
}
