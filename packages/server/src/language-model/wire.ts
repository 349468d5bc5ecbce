import { z } from "zod";
import { malformed } from "./failure.ts";

export type Message = { role: "system" | "user" | "assistant"; content: string };

/** A model's use of a tool; `arguments` is the model's text, which may be invalid JSON. */
type ToolUse = { name: string; arguments: string };

type Tool = { name: string; description: string; parameters: Record<string, unknown> };

export type Request = {
  messages: readonly Message[];
  /** Asks for JSON of this schema; an endpoint without schemas may answer in another form. */
  jsonSchema?: { name: string; schema: Record<string, unknown> };
  tools?: readonly Tool[];
  temperature: number;
  /** Asks for the same answer to the same request; an endpoint may ignore it. */
  seed?: number;
  maxTokens: number;
  /** The limit for the whole request, with retries and the last byte of the answer. */
  timeoutMs: number;
  signal?: AbortSignal;
};

export type Completion = { text: string; toolCalls: ToolUse[] };

/**
 * The form of a request. `full` has a temperature, a seed and a schema. `plain` has none of them and another name for the token limit,
 * for reasoning models and for servers without schemas.
 */
export type Dialect = "full" | "plain";

/** Returns the JSON body of a request. */
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
      }),
    )
    .min(1),
});

/** Returns the completion in an answer; throws a `malformed` failure when the answer has no completion. */
export function completionOf(body: Buffer): Completion {
  const { message } = parsed(body).choices[0]!;
  return { text: message.content ?? "", toolCalls: (message.tool_calls ?? []).map(({ function: call }) => call) };
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
