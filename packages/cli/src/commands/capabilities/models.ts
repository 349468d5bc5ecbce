import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { table } from "../../terminal/output.ts";

const ACCESS = { ready: "ready", needs_key: "need a key", not_used: "cannot use it" };

export default command({
  summary: "List the speech models that the service knows",
  description:
    "Write a model as provider/model in other commands. `calls` says whether calls of the organization can use the model, or need a key of its provider first, which `svc provider-keys set` stores.",
  examples: ["<%= config.bin %> capabilities models", "<%= config.bin %> capabilities models --provider deepgram"],
  flags: { provider: Flags.string({ description: "Only models of this provider." }) },
  async run({ startSession, flags }) {
    const { client } = await startSession();
    const { version, textToSpeech, speechToText } = await client.capabilities.models();
    const isWanted = ({ provider }: { provider: string }) =>
      flags.provider === undefined || provider === flags.provider.toLowerCase();
    return { version, textToSpeech: textToSpeech.filter(isWanted), speechToText: speechToText.filter(isWanted) };
  },
  show({ version, textToSpeech, speechToText }, { flags }) {
    const rows = [
      ...textToSpeech.map((model) => ({ ...model, flag: "--tts" })),
      ...speechToText.map((model) => ({ ...model, flag: "--stt" })),
    ];
    const list = table(
      rows,
      [
        { title: "flag", cell: ({ flag }) => flag },
        { title: "model", cell: ({ provider, model }) => `${provider}/${model}` },
        { title: "calls", cell: ({ access }) => ACCESS[access] },
        { title: "notice", cell: ({ notice }) => notice ?? "" },
      ],
      `The service knows no model of the provider "${flags.provider}". To see all models: svc capabilities models`,
    );
    return rows.length === 0 ? list : `${list}\n\nVersion of this data: ${version}.`;
  },
});
