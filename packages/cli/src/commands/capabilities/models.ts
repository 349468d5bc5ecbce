import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { table } from "../../output.ts";

export default command({
  description: "The models whose capabilities the service knows, to be named as provider/model.",
  examples: ["<%= config.bin %> capabilities models", "<%= config.bin %> capabilities models --provider deepgram"],
  flags: { provider: Flags.string({ description: "Only this provider's." }) },
  async run({ connect, flags }) {
    const { client } = await connect();
    const { version, textToSpeech, speechToText } = await client.capabilities.models();
    const wanted = ({ provider }: { provider: string }) =>
      flags.provider === undefined || provider === flags.provider.toLowerCase();
    return { version, textToSpeech: textToSpeech.filter(wanted), speechToText: speechToText.filter(wanted) };
  },
  show({ version, textToSpeech, speechToText }, { flags }) {
    const rows = [
      ...textToSpeech.map((model) => ({ ...model, flag: "--tts" })),
      ...speechToText.map((model) => ({ ...model, flag: "--stt" })),
    ];
    const list = table(
      rows,
      [
        { title: "as", cell: ({ flag }) => flag },
        { title: "model", cell: ({ provider, model }) => `${provider}/${model}` },
        { title: "notice", cell: ({ notice }) => notice ?? "" },
      ],
      `No model of the provider "${flags.provider}" is known. See all: svc capabilities models`,
    );
    return rows.length === 0 ? list : `${list}\n\nFacts of ${version}.`;
  },
});
