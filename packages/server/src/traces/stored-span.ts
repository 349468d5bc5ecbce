/**
 * The sender chooses the attribute values, which can have any type and size. In a span that is parsed to derive a conversation,
 * long values of some attributes are lazy texts (`lazy-text.ts`).
 */
export type StoredSpan = {
  traceId: string; // 32 hexadecimal characters
  spanId: string; // 16 hexadecimal characters
  parentSpanId: string | null;
  name: string;
  kind: number; // 0 to 5, the span kinds of OTLP
  startNs: bigint;
  endNs: bigint | null;
  status: "unset" | "ok" | "error";
  statusMessage: string | null;
  attributes: Record<string, unknown>;
  events: { timeNs: bigint; name: string; attributes: Record<string, unknown> }[];
  links: unknown[];
  resource: Record<string, unknown>;
  scopeName: string | null;
  scopeVersion: string | null;
};
