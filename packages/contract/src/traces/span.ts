import { z } from "zod";
import { json } from "../core/json.ts";
import { MASKED_VALUE } from "./masked-value.ts";
import { count } from "../core/numbers.ts";
import { durationMs, spanId, traceId } from "./values.ts";

const nanoseconds = z
  .string()
  .regex(/^-?\d+$/)
  .meta({ description: "Nanoseconds since the Unix epoch, in decimal.", example: "1795251153094000000" });

const attributes = z.record(z.string(), json).meta({
  description: `Attributes as the sender sent them. \`${MASKED_VALUE}\` replaces the value of each attribute with a name such as \`authorization\`, \`cookie\` or \`api_key\`, and each value that has the form of a known kind of API key or token. Words, tool arguments and tool results are never masked.`,
});

/** Span as the service received it, with credentials masked. */
export const Span = z
  .strictObject({
    traceId,
    spanId,
    parentSpanId: spanId
      .nullable()
      .meta({ description: "Null for a root span. The parent may be a span that never arrived." }),
    depth: count("Depth in the tree. 0 for a root span and for a span whose parent never arrived."),
    name: z.string(),
    kind: z.enum(["unspecified", "internal", "server", "client", "producer", "consumer"]),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds.nullable(),
    durationMs,
    status: z.enum(["unset", "ok", "error"]),
    statusMessage: z.string().nullable(),
    attributes,
    events: z.array(z.strictObject({ timeUnixNano: nanoseconds, name: z.string(), attributes })),
    links: z.array(json),
    resource: attributes,
    scope: z.strictObject({ name: z.string().nullable(), version: z.string().nullable() }),
  })
  .meta({ id: "Span", description: "A span as the service received it." });
export type Span = z.infer<typeof Span>;
