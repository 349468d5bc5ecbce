import { z } from "zod";
import { LIMITS } from "./limits.ts";

const size = z.coerce
  .number()
  .int()
  .min(1)
  .max(LIMITS.pageSizeMax)
  .default(LIMITS.pageSizeDefault)
  .meta({ override: { type: "integer", minimum: 1, maximum: LIMITS.pageSizeMax, default: LIMITS.pageSizeDefault } });

/** Query of an `/api` list. */
export const cursorQuery = {
  cursor: z.string().min(1).optional().meta({ description: "The previous answer's `next_cursor`." }),
  limit: size.optional().meta({ description: "Items per page." }),
};

/** Query of a `/v1` list. */
export const pageQuery = {
  pageSize: size.optional().meta({ description: "Items per page." }),
  pageToken: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The previous answer's `nextPageToken`; send the other filters unchanged." }),
};

/** Answer of an `/api` list: a null `next_cursor` marks the last page, and nothing else does. */
export const cursorPage = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() });

/** In the answer of a `/v1` list: the token of the next page, null on the last one. */
export const nextPageToken = z.string().nullable().meta({ description: "Null on the last page." });
