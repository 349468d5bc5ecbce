import { z } from "zod";
import { type ErrorCode, ERRORS } from "./errors.ts";

/** The body of every answer that is not a success, and nothing else. */
export const ErrorBody = z
  .strictObject({
    error: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).meta({ description: "Stable code." }),
    message: z.string().meta({ description: "For people; says what to do next. Not to be matched." }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "Error", description: "Why the request was refused." });
export type ErrorBody = z.infer<typeof ErrorBody>;
