/**
 * A long text of an attribute that most readings do not need. It becomes a string when a vocabulary asks for it. Only spans that
 * are parsed for readings have lazy texts; answers are made of spans with strings, which are searched for credentials.
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

/** The attributes that may be lazy: vocabularies read them with `structureOf` or `contentOf` only, or not at all. */
export const LAZY_KEYS: ReadonlySet<string> = new Set([
  ...CONTENTS.flatMap((name) => [`lk.${name}`, `lk.pii.${name}`]),
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.definitions",
]);
