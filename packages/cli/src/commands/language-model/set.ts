import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { decimalFlag } from "../../flags.ts";
import { usage } from "../../refusal.ts";
import { askSecret } from "../../terminal/prompt.ts";

export default command({
  summary: "Set the language model",
  description:
    "The model plays callers, judges behaviors and drafts tests. The service seals its key. The key comes from a hidden prompt, SVC_MODEL_KEY or standard input; for a server without keys, send any word. With --keep-key the stored key stays, if the address is on the same host. Refused while the settings of the service name a model.",
  examples: [
    "<%= config.bin %> language-model set --address https://api.openai.com/v1 --model gpt-5-mini",
    "<%= config.bin %> language-model set --address http://127.0.0.1:11434/v1 --model qwen3 < key.txt",
  ],
  flags: {
    address: Flags.string({ description: "Endpoint of the OpenAI chat API.", helpValue: "<url>", required: true }),
    model: Flags.string({ description: "Name of the model, as the endpoint knows it.", required: true }),
    "price-input": decimalFlag({ description: "Price of a million input tokens.", helpValue: "<amount>" }),
    "price-output": decimalFlag({ description: "Price of a million output tokens.", helpValue: "<amount>" }),
    "keep-key": Flags.boolean({ description: "Keep the stored key." }),
  },
  async run({ flags, startSession }) {
    const prices = pricesOf(flags["price-input"], flags["price-output"]);
    const apiKey = flags["keep-key"]
      ? undefined
      : process.env.SVC_MODEL_KEY || (await askSecret(`Key of ${flags.model}`, fault));
    const { client } = await startSession();
    return (await client.languageModel.set({ baseUrl: flags.address, model: flags.model, apiKey, prices }))
      .languageModel;
  },
  show: ({ model, baseUrl, hint }) =>
    `Saved ${model} at ${baseUrl} (key …${hint}, sealed). To ask it for a short answer: svc doctor`,
});

const fault = (key: string) => (key === "" ? "Enter the key of the language model." : undefined);

function pricesOf(input: number | undefined, output: number | undefined) {
  if (input === undefined && output === undefined) return undefined;
  if (input !== undefined && output !== undefined) return { input, output };
  throw usage("Set --price-input and --price-output together.");
}
