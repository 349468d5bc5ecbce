import { Flags } from "@oclif/core";
import { capabilityText } from "../capability-text.ts";
import { command, limitFlag } from "../command.ts";
import { paint } from "../output.ts";
import { usage } from "../refusal.ts";

const modelFlag = (description: string) => Flags.string({ description, helpValue: "<provider/model>", required: true });

export default command({
  description:
    "Which voices, languages, accents, emotions, speeds and volumes a persona can be given. `svc capabilities models` lists the models.",
  examples: [
    "<%= config.bin %> capabilities --tts openai/gpt-4o-mini-tts --stt deepgram/nova-3",
    "<%= config.bin %> capabilities --tts deepgram/aura-2 --stt deepgram/nova-3 --language fr --voice aura-2-agathe-fr",
  ],
  flags: {
    tts: modelFlag("The text-to-speech model."),
    stt: modelFlag("The speech-to-text model."),
    language: Flags.string({ description: "BCP 47 tag, such as en or en-GB.", helpValue: "<tag>" }),
    voice: Flags.string({ description: "Id of a voice.", helpValue: "<id>" }),
    refresh: Flags.boolean({ description: "Ask the provider for its voices now." }),
    limit: limitFlag(),
  },
  async run({ connect, flags }) {
    const [tts, stt] = [modelOf("--tts", flags.tts), modelOf("--stt", flags.stt)];
    const { client, project: projectId } = await connect();
    return client.capabilities.get({
      projectId,
      ttsProvider: tts.provider,
      ttsModel: tts.model,
      sttProvider: stt.provider,
      sttModel: stt.model,
      language: flags.language,
      voiceId: flags.voice,
      refresh: Boolean(flags.refresh),
    });
  },
  show: (capabilities, { flags }) =>
    `${paint.bold(flags.tts)} with ${paint.bold(flags.stt)}\n\n${capabilityText(capabilities, flags.limit)}`,
});

/** The provider stands before the first slash; models have slashes too. */
function modelOf(flag: string, text: string): { provider: string; model: string } {
  const slash = text.indexOf("/");
  const [provider, model] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash > 0 && model !== "") return { provider, model };
  throw usage(`Write ${flag} as provider/model, such as openai/tts-1: \`svc capabilities models\` lists them.`);
}
