/** The maximum bytes of each kind of text in UTF-8; a longer text is cut to this length and ends with the mark. */
export const LIMIT_BYTES = {
  value: 1 << 20,
  resourceValue: 64 << 10,
  key: 1 << 10,
  name: 1 << 10,
  statusMessage: 16 << 10,
  traceState: 1 << 10,
  identity: 256,
} as const;

/** Attributes of a resource or a scope after this many bytes of JSON are dropped and counted. */
export const ORIGIN_BYTES = 64 << 10;

export const CUT_MARK = "… [cut]";

/** The maximum nesting of an attribute value. */
export const MAX_DEPTH = 100;

/** The maximum text from one body: eight times the largest body. Escaping alone can multiply text by six. */
export const MAX_TEXT_BYTES = 160 << 20;
