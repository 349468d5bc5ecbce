import { Args, Flags } from "@oclif/core";
import { KEY_PROVIDERS, LIMITS } from "@svc/contract";
import { command } from "../../command.ts";
import { askSecret } from "../../terminal/prompt.ts";

export default command({
  summary: "Set the key of a speech provider",
  description:
    "The service seals the key and replaces the former one. The key comes from a hidden prompt, SVC_PROVIDER_KEY or standard input. For polly, write the access key id and the secret access key with a colon between them.",
  examples: [
    "<%= config.bin %> provider-keys set cartesia",
    "<%= config.bin %> provider-keys set azure --region westeurope < key.txt",
  ],
  args: {
    provider: Args.string({
      description: "Provider of the key.",
      options: Object.keys(KEY_PROVIDERS),
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: { region: Flags.string({ description: "Region of the key. Required for azure and polly." }) },
  async run({ args: { provider }, flags: { region }, startSession }) {
    const apiKey = process.env.SVC_PROVIDER_KEY || (await askSecret(`Key of ${provider}`, fault));
    const { client } = await startSession();
    return (await client.providerKeys.set({ provider, apiKey, region })).providerKey;
  },
  show: ({ provider, hint }) => `Saved the key of ${provider} (…${hint}), sealed.`,
});

const fault = (key: string) =>
  key.length < LIMITS.providerKeyCharactersMin
    ? `A provider's key has at least ${LIMITS.providerKeyCharactersMin} characters.`
    : undefined;
