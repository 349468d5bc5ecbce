/** Largest number of UTF-8 bytes for each kind of text. A longer text is cut to this length and ends with `CUT_MARK`. */
export const LIMIT_BYTES = {
  value: 1 << 20,
  resourceValue: 64 << 10,
  key: 1 << 10,
  name: 1 << 10,
  statusMessage: 16 << 10,
  traceState: 1 << 10,
  identity: 256,
} as const;

/** When the JSON of a resource or scope exceeds this number of bytes, its further attributes are dropped and counted. */
export const ORIGIN_BYTES = 64 << 10;

export const CUT_MARK = "… [cut]";

export const MAX_DEPTH = 100;

/** Largest number of bytes of text that one body may become: eight times the largest body. Escapes alone can make text six times longer. */
export const MAX_TEXT_BYTES = 160 << 20;
