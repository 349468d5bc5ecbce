import { Args, Flags } from "@oclif/core";
import { KEY_PROVIDERS, LIMITS } from "@svc/contract";
import { command } from "../../command.ts";
import { askSecret } from "../../prompt.ts";

export default command({
  description:
    "Keeps a speech provider's key, sealed, in place of the former one. The key comes from a hidden prompt, SVC_PROVIDER_KEY or standard input. For polly it is the access key id and its secret, joined by a colon.",
  examples: [
    "<%= config.bin %> provider-keys set cartesia",
    "<%= config.bin %> provider-keys set azure --region westeurope < key.txt",
  ],
  args: {
    provider: Args.string({
      description: "Whose key it is.",
      options: Object.keys(KEY_PROVIDERS),
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: { region: Flags.string({ description: "The key's region; azure and polly need it." }) },
  async run({ args: { provider }, flags: { region }, connect }) {
    const given = process.env.SVC_PROVIDER_KEY;
    const apiKey = given || (await askSecret(`Key of ${provider}`, fault));
    const { client } = await connect();
    return (await client.providerKeys.set({ provider, apiKey, region })).providerKey;
  },
  show: ({ provider, hint }) => `The key of ${provider} (…${hint}) is kept, sealed.`,
});

const fault = (key: string) =>
  key.length < LIMITS.providerKeyCharactersMin
    ? `A provider's key has at least ${LIMITS.providerKeyCharactersMin} characters.`
    : undefined;
