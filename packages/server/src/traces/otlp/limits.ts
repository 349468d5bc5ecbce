/** The most bytes of UTF-8 that a text keeps, mark included; what is longer is cut and ends with the mark. */
export const LIMIT_BYTES = {
  value: 1 << 20,
  resourceValue: 64 << 10,
  key: 1 << 10,
  name: 1 << 10,
  statusMessage: 16 << 10,
  traceState: 1 << 10,
  identity: 256,
} as const;

/** A resource or a scope past this many bytes of JSON counts its further attributes as dropped. */
export const ORIGIN_BYTES = 64 << 10;

export const CUT_MARK = "… [cut]";

/** How deep one attribute value may hold others. */
export const MAX_DEPTH = 100;

/** The most text that one body may turn into: eight times the largest body (escaping alone makes six of one). */
export const MAX_TEXT_BYTES = 160 << 20;
