import type { FlatInput } from "./operation-request.ts";
import type { OperationName } from "./operation-inputs.ts";
import type { World } from "./world.ts";

export const aLanguageModel = {
  baseUrl: "https://models.example.com/v1",
  model: "model-1",
  apiKey: "a-key-of-the-model",
};

type ModelOperation = Extract<OperationName, `providerKeys.${string}` | `languageModel.${string}`>;

/** Inputs of the operations about speech providers and the language model. */
export const MODEL_INPUTS: Record<ModelOperation, (w: World) => FlatInput | Promise<FlatInput>> = {
  "providerKeys.list": () => ({}),
  "providerKeys.set": () => ({ provider: "cartesia", apiKey: "a-key-of-cartesia" }),
  "providerKeys.delete": async (w) => {
    await w.admin.providerKeys.set({ provider: "hume", apiKey: "a-key-of-hume" });
    return { provider: "hume" };
  },
  "languageModel.get": () => ({}),
  "languageModel.set": () => aLanguageModel,
  "languageModel.delete": async (w) => {
    await w.admin.languageModel.set(aLanguageModel);
    return {};
  },
};
