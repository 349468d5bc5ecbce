import { z } from "zod";
import { type ErrorCode, ERRORS } from "./errors.ts";

/** Body of every error response: a stable code, a message for people, and details that depend on the code. */
export const ErrorBody = z
  .strictObject({
    error: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: "Stable error code. Programs match on this value." }),
    message: z
      .string()
      .meta({ description: "Explanation for people, with the next step. Its wording may change; do not match on it." }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "Error", description: "Why the service refused the request." });
export type ErrorBody = z.infer<typeof ErrorBody>;
