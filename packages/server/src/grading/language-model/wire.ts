import { z } from "zod";
import { malformed } from "./failure.ts";
import type { ReportedTokens } from "./usage.ts";

export type Message = { role: "system" | "user" | "assistant"; content: string };

/** A call of a tool by the model. `arguments` is the model's text, which may be invalid JSON. */
type ToolUse = { name: string; arguments: string };

type Tool = { name: string; description: string; parameters: Record<string, unknown> };

export type Request = {
  messages: readonly Message[];
  /** JSON schema of the answer. An endpoint without support for schemas may answer in another form. */
  jsonSchema?: { name: string; schema: Record<string, unknown> };
  tools?: readonly Tool[];
  temperature: number;
  /** An endpoint may ignore the seed. */
  seed?: number;
  maxTokens: number;
  /** Time limit for the whole request, including retries and the last byte of the answer, in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal;
};

/** Answer of a chat model. A member that the endpoint left out is null. */
export type Completion = {
  text: string;
  toolCalls: ToolUse[];
  finishReason: string | null;
  /** Name of the model that answered. It may be more exact than the name in the request. */
  servedModel: string | null;
  tokens: ReportedTokens | null;
};

/** Form of the requests. Reasoning models and servers without support for schemas need `plain`. */
export type Dialect = "full" | "plain";

export function bodyOf(model: string, request: Request, dialect: Dialect): Record<string, unknown> {
  const { jsonSchema, tools, temperature, seed, maxTokens } = request;
  return {
    model,
    messages: request.messages,
    ...(tools && tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(dialect === "plain"
      ? { max_completion_tokens: maxTokens }
      : {
          temperature,
          ...(seed !== undefined && { seed }),
          max_tokens: maxTokens,
          ...(jsonSchema && { response_format: { type: "json_schema", json_schema: { ...jsonSchema, strict: true } } }),
        }),
  };
}

const Answer = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).nullish(),
        }),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .min(1),
  model: z.string().min(1).nullish().catch(null),
  usage: z
    .object({
      prompt_tokens: z.int().min(0),
      completion_tokens: z.int().min(0),
      prompt_tokens_details: z
        .object({ cached_tokens: z.int().min(0).nullish() })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

/** Reads the answer of an endpoint. Throws a `malformed` failure if the answer contains no completion. */
export function completionOf(body: Buffer): Completion {
  const { choices, model, usage } = parsed(body);
  const { message, finish_reason: finishReason } = choices[0]!;
  return {
    text: message.content ?? "",
    toolCalls: (message.tool_calls ?? []).map(({ function: call }) => call),
    finishReason: finishReason ?? null,
    servedModel: model ?? null,
    tokens: usage
      ? {
          input: usage.prompt_tokens,
          cachedInput: usage.prompt_tokens_details?.cached_tokens ?? 0,
          output: usage.completion_tokens,
        }
      : null,
  };
}

function parsed(body: Buffer): z.output<typeof Answer> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw malformed("text that is not JSON");
  }
  const read = Answer.safeParse(value);
  if (!read.success) throw malformed("JSON that is not a chat completion");
  return read.data;
}
