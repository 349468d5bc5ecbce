import { cutText } from "@svc/contract/constants";
import { usage } from "../refusal.ts";

/** JSON Schema, as far as a draft uses it. Every member may be missing or wrong, because other programs write it. */
export type Schema = Readonly<Record<string, unknown>>;

export type AgentTool = {
  name: string;
  /** First sentence of the tool's description, or the words of its name. */
  purpose: string;
  input: Schema;
  output: Schema | undefined;
};

const PURPOSE_CHARACTERS = 200;
const NAME = /^[\w.:/-]{1,100}$/;

/**
 * Returns the tools in a JSON file: a list of tools, or an object with a list named `tools`, `functions` or `general_tools`, also inside
 * `result` or `model`. A tool has the form of OpenAI (`parameters`, with or without `function` around it), Anthropic (`input_schema`) or MCP (`inputSchema`).
 */
export function readAgentTools(json: unknown, file: string): AgentTool[] {
  const listed = listIn(json).flatMap((item) => toolOf(item) ?? []);
  const tools = [...new Map(listed.map((tool) => [tool.name, tool])).values()];
  if (tools.length > 0) return tools;
  throw usage(
    `${file} holds no tools. Write a list such as [{"name": "book_room", "description": "Books a room.", "parameters": {…}}], or the request of your agent with its \`tools\`.`,
  );
}

function listIn(json: unknown): unknown[] {
  if (Array.isArray(json)) return json;
  if (!isObject(json)) return [];
  const list = ["tools", "functions", "general_tools"].map((name) => json[name]).find(Array.isArray);
  const inside = [json["result"], json["model"]].find(isObject);
  return list ?? (inside ? listIn(inside) : [json]);
}

function toolOf(item: unknown): AgentTool | undefined {
  if (!isObject(item)) return undefined;
  const tool = isObject(item["function"]) ? item["function"] : item;
  const { name, description, parameters, input_schema, inputSchema, outputSchema } = tool;
  if (typeof name !== "string" || !NAME.test(name)) return undefined;
  return {
    name,
    purpose: purposeOf(description) ?? wordsOf(name),
    input: [parameters, input_schema, inputSchema].find(isObject) ?? {},
    output: isObject(outputSchema) ? outputSchema : undefined,
  };
}

function purposeOf(description: unknown): string | undefined {
  if (typeof description !== "string") return undefined;
  const text = description.replaceAll(/\s+/g, " ").trim();
  const sentence = /^.{8,}?(?=[.!?](?:\s|$))/.exec(text)?.[0] ?? text;
  return sentence === "" ? undefined : cutText(sentence, PURPOSE_CHARACTERS);
}

/** `guestName` and `guest_name` become `guest name`. */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
