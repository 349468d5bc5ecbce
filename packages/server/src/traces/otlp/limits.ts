/** The most bytes of UTF-8 for each kind of text. A longer text is cut to this length, including a mark at its end. */
export const LIMIT_BYTES = {
  value: 1 << 20,
  resourceValue: 64 << 10,
  key: 1 << 10,
  name: 1 << 10,
  statusMessage: 16 << 10,
  traceState: 1 << 10,
  identity: 256,
} as const;

/** Once a resource or scope has this many bytes of JSON, its further attributes are dropped and counted. */
export const ORIGIN_BYTES = 64 << 10;

export const CUT_MARK = "… [cut]";

/** The greatest nesting depth of an attribute value. */
export const MAX_DEPTH = 100;

/** The most text that one body may become: eight times the largest body. Escaping alone can multiply text by six. */
export const MAX_TEXT_BYTES = 160 << 20;
