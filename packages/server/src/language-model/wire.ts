import { z } from "zod";
import { malformed } from "./failure.ts";

export type Message = { role: "system" | "user" | "assistant"; content: string };

/** `arguments` is the model's text; it may be no JSON. */
type ToolUse = { name: string; arguments: string };

type Tool = { name: string; description: string; parameters: Record<string, unknown> };

export type Request = {
  messages: readonly Message[];
  /** The answer must be JSON of this schema; an endpoint that cannot be held to it may still answer otherwise. */
  jsonSchema?: { name: string; schema: Record<string, unknown> };
  tools?: readonly Tool[];
  temperature: number;
  maxTokens: number;
  /** For everything, retries and the last byte included. */
  timeoutMs: number;
  signal?: AbortSignal;
};

export type Completion = { text: string; toolCalls: ToolUse[] };

/**
 * How an endpoint wants to be asked: reasoning models take no temperature and count tokens under another name, and some
 * servers know no schemas. `full` is asked first.
 */
export type Dialect = "full" | "plain";

export function bodyOf(model: string, request: Request, dialect: Dialect): Record<string, unknown> {
  const { jsonSchema, tools, temperature, maxTokens } = request;
  return {
    model,
    messages: request.messages,
    ...(tools && tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(dialect === "plain"
      ? { max_completion_tokens: maxTokens }
      : {
          temperature,
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

export function completionOf(body: Buffer): Completion {
  const { message } = parsed(body).choices[0]!;
  return { text: message.content ?? "", toolCalls: (message.tool_calls ?? []).map(({ function: call }) => call) };
}

function parsed(body: Buffer): z.output<typeof Answer> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw malformed("what is not JSON");
  }
  const read = Answer.safeParse(value);
  if (!read.success) throw malformed("JSON that is no chat completion");
  return read.data;
}
