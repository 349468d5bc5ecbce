import { z } from "zod";
import { LIMITS } from "./limits.ts";

const size = z.coerce
  .number<number>()
  .int()
  .min(1)
  .max(LIMITS.pageSizeMax)
  .default(LIMITS.pageSizeDefault)
  .meta({ override: { type: "integer", minimum: 1, maximum: LIMITS.pageSizeMax, default: LIMITS.pageSizeDefault } });

/** Query parameters of an `/api` list. */
export const cursorQuery = {
  cursor: z.string().min(1).optional().meta({ description: "`next_cursor` of the previous page." }),
  limit: size.optional().meta({ description: "Maximum number of items per page." }),
};

/** Query parameters of a `/v1` list. */
export const pageQuery = {
  pageSize: size.optional().meta({ description: "Maximum number of items per page." }),
  pageToken: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "`nextPageToken` of the previous page. Keep all other filters unchanged." }),
};

/** Returns the schema of a page of an `/api` list. `next_cursor` is null only on the last page; other pages may be short or empty. */
export const cursorPage = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() });

/** Schema of the token of a `/v1` list's next page; null on the last page. */
export const nextPageToken = z
  .string()
  .nullable()
  .meta({ description: "Token of the next page; null on the last page." });
