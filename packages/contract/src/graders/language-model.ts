import { z } from "zod";
import { managesOrganization, overseesOrganization } from "../core/access.ts";
import { timestamp } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { operation } from "../core/operation.ts";
import { deleteOperation, getOperation } from "../core/resource-operations.ts";
import { VISIBLE_ASCII } from "../core/texts.ts";

/** How to set a language model: an imperative sentence without its period. */
export const SET_LANGUAGE_MODEL =
  "Set a language model with `svc language-model set`, or on the page Settings → Language model";

const price = (tokens: string) =>
  z
    .number()
    .min(0)
    .max(LIMITS.languageModelPriceMax)
    .meta({ description: `Price of a million ${tokens} tokens.` });

const prices = z.strictObject({ input: price("input"), output: price("output") });

/** Language model of an organization. It plays callers, judges behaviors and drafts tests. No response contains its key. */
export const LanguageModel = z
  .strictObject({
    source: z.enum(["settings", "organization"]).meta({
      description:
        "`settings`: the settings of the service name the model, for all organizations. `organization`: the organization set it.",
    }),
    model: z.string().meta({ description: "Name of the model, as the endpoint knows it.", example: "gpt-5-mini" }),
    baseUrl: z
      .string()
      .nullable()
      .meta({ description: "Endpoint of the OpenAI chat API; null for a model of the settings." }),
    hint: z
      .string()
      .nullable()
      .meta({ description: "Last four characters of the key; null for a model of the settings.", example: "x9Qk" }),
    prices: prices.nullable().meta({ description: "In any currency; null when unknown, so that costs are unknown." }),
    updatedAt: timestamp().nullable().meta({ description: "Null for a model of the settings." }),
  })
  .meta({ id: "LanguageModel" });
export type LanguageModel = z.infer<typeof LanguageModel>;

const common = { tag: "Language model", ...managesOrganization, path: "/v1/language-model" } as const;

/** Language model of an organization. A model in the settings of the service takes precedence. */
export const languageModel = {
  /** Returns the language model that the organization uses, with only the last four characters of its key. */
  get: getOperation({
    ...common,
    ...overseesOrganization,
    audit: "read",
    summary: "Show the language model",
    answer: z.strictObject({
      languageModel: LanguageModel.nullable().meta({ description: "Null without a language model." }),
    }),
  }),

  /** Stores the organization's language model in place of the former one, and encrypts its key. */
  set: operation({
    ...common,
    method: "PUT",
    summary: "Set the language model",
    description:
      "The service encrypts the key and never returns it. It does not call the model now: `POST /v1/service/checks` does. Refused with 409 while the settings of the service name a model.",
    body: z.strictObject({
      baseUrl: z
        .url({ protocol: /^https?$/, error: "Write an address such as https://api.openai.com/v1." })
        .max(LIMITS.languageModelUrlCharacters)
        .refine((url) => !hasLogin(url), "Leave out the user and the password: the service sends the key.")
        .transform((url) => url.replace(/\/+$/, ""))
        .meta({
          description: "Endpoint of the OpenAI chat API, without `/chat/completions`.",
          example: "https://api.openai.com/v1",
        }),
      model: z.string().trim().min(1).max(LIMITS.languageModelNameCharacters).meta({ example: "gpt-5-mini" }),
      apiKey: z
        .string()
        .trim()
        .min(1)
        .max(LIMITS.providerKeyCharactersMax)
        .refine((text) => VISIBLE_ASCII.test(text), "Use only visible ASCII characters, without spaces.")
        .optional()
        .meta({ description: "Without it, the stored key stays. Required when `baseUrl` names another host." }),
      prices: prices
        .optional()
        .meta({ description: "In any currency. Without them, runs have no cost and cannot limit it." }),
    }),
    status: 200,
    answer: z.strictObject({ languageModel: LanguageModel }),
  }),

  /** Deletes the organization's language model and its key. */
  delete: deleteOperation({ ...common, summary: "Delete the language model" }),
};

function hasLogin(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.username !== "" || parsed.password !== "");
}
