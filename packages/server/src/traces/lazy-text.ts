/**
 * A long attribute value that is seldom needed to derive a conversation. It is decoded to a string only when a vocabulary reads it.
 * Spans from which the service derives a conversation have lazy texts. Spans in answers have strings, because their attribute
 * values are searched for credentials.
 */
export class LazyText {
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #to: number;

  constructor(bytes: Buffer, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
  }

  toString(): string {
    return this.#bytes.toString("utf8", this.#from, this.#to);
  }
}

const CONTENTS = [
  "chat_ctx",
  "instructions",
  "input_text",
  "transcript",
  "function_tool.arguments",
  "function_tool.output",
];

/**
 * The attributes with long texts. Vocabularies read them only with `structureOf` or `contentOf`, which accept lazy texts, or not at all.
 */
export const LAZY_KEYS: ReadonlySet<string> = new Set([
  ...CONTENTS.flatMap((name) => [`lk.${name}`, `lk.pii.${name}`]),
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.definitions",
]);
