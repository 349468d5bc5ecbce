import { z } from "zod";
import { malformed } from "./failure.ts";

export type Message =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; toolCalls?: ToolUse[] }
  | { role: "tool"; toolCallId: string; content: string };

/** `arguments` is the model's text; it may be no JSON. */
export type ToolUse = { id: string; name: string; arguments: string };

export type Tool = { name: string; description: string; parameters: Record<string, unknown> };

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

/** Null is not known. */
export type Usage = { inputTokens: number | null; outputTokens: number | null };

/** `cut`: the answer was longer than `maxTokens`. */
export type Completion = { text: string; toolCalls: ToolUse[]; usage: Usage; cut: boolean };

/**
 * How an endpoint wants to be asked: reasoning models take no temperature and count tokens under another name, and some
 * servers know no schemas. `full` is asked first.
 */
export type Dialect = "full" | "plain";

export function bodyOf(model: string, request: Request, dialect: Dialect, stream: boolean): Record<string, unknown> {
  const { jsonSchema, tools, temperature, maxTokens } = request;
  return {
    model,
    messages: request.messages.map(messageBody),
    ...(tools && tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    ...(dialect === "plain"
      ? { max_completion_tokens: maxTokens }
      : {
          temperature,
          max_tokens: maxTokens,
          ...(jsonSchema && { response_format: { type: "json_schema", json_schema: { ...jsonSchema, strict: true } } }),
        }),
  };
}

function messageBody(message: Message): Record<string, unknown> {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== "assistant" || !message.toolCalls?.length)
    return { role: message.role, content: message.content };
  const calls = message.toolCalls.map(({ id, ...call }) => ({ id, type: "function", function: call }));
  return { role: "assistant", content: message.content, tool_calls: calls };
}

const usage = z
  .object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() })
  .nullish()
  .catch(null);

const Answer = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
            .nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage,
});

export function completionOf(body: Buffer): Completion {
  const { choices, usage } = parsed(Answer, body.toString("utf8"));
  const { message, finish_reason } = choices[0]!;
  return {
    text: message.content ?? "",
    toolCalls: (message.tool_calls ?? []).map(({ id, function: call }) => ({ id, ...call })),
    usage: usageOf(usage),
    cut: finish_reason === "length",
  };
}

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().min(0).max(127),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage,
});

/** Puts a streamed answer together; `take` gives the text that an event adds. */
export function openAssembly() {
  const calls: ToolUse[] = [];
  let text = "";
  let known: Usage = { inputTokens: null, outputTokens: null };
  let finish: string | null = null;
  return {
    take(event: string): string {
      const { choices, usage } = parsed(Chunk, event);
      if (usage) known = usageOf(usage);
      const choice = choices?.[0];
      finish = choice?.finish_reason ?? finish;
      for (const part of choice?.delta?.tool_calls ?? []) {
        const call = (calls[part.index] ??= { id: "", name: "", arguments: "" });
        call.id ||= part.id ?? "";
        call.name += part.function?.name ?? "";
        call.arguments += part.function?.arguments ?? "";
      }
      const added = choice?.delta?.content ?? "";
      text += added;
      return added;
    },
    /** Undefined when the answer broke off. */
    end: (): Completion | undefined =>
      finish === null ? undefined : { text, toolCalls: calls.filter(Boolean), usage: known, cut: finish === "length" },
  };
}

const usageOf = (usage: z.output<typeof Answer>["usage"]): Usage => ({
  inputTokens: usage?.prompt_tokens ?? null,
  outputTokens: usage?.completion_tokens ?? null,
});

function parsed<Shape extends z.ZodType>(shape: Shape, json: string): z.output<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw malformed("what is not JSON");
  }
  const read = shape.safeParse(value);
  if (!read.success) throw malformed("JSON that is no chat completion");
  return read.data;
}
