import { SET_LANGUAGE_MODEL } from "@svc/contract";
import { command } from "../../command.ts";
import { facts } from "../../terminal/output.ts";
import { ago } from "../../terminal/times.ts";

export default command({
  summary: "Show the language model",
  description:
    "Shows the model that plays callers, judges behaviors and drafts tests, with the last four characters of its key. `svc doctor` asks it for a short answer. Needs an organization key of an admin.",
  examples: ["<%= config.bin %> language-model show"],
  async run({ startSession }) {
    const { client } = await startSession();
    return client.languageModel.get();
  },
  show({ languageModel }) {
    if (languageModel === null) return `No language model. ${SET_LANGUAGE_MODEL}.`;
    const { source, model, baseUrl, hint, prices, updatedAt } = languageModel;
    return facts([
      ["model", model],
      ["address", baseUrl ?? undefined],
      ["key", hint === null ? undefined : `…${hint}`],
      ["prices", prices === null ? "unknown" : `${prices.input} input, ${prices.output} output a million tokens`],
      ["set by", source === "settings" ? "the settings of the service" : "the organization"],
      ["set", updatedAt === null ? undefined : ago(updatedAt)],
    ]);
  },
});
