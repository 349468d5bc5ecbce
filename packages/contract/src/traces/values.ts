import { z } from "zod";
import { count } from "../core/numbers.ts";

/** Returns the schema of a count that is null when unknown. */
export const countWhenKnown = (description: string) => count().nullable().meta({ description });

/** Returns the schema of a number ≥ 0 that is null when unknown. */
export const numberWhenKnown = (description: string) => z.number().min(0).nullable().meta({ description });

/** Schema of the duration of a span, turn or call in milliseconds; null before its end. */
export const durationMs = z
  .number()
  .min(0)
  .nullable()
  .meta({ description: "Duration in milliseconds; null before the end." });

/** Schema of an OTLP trace id: 32 lower-case hexadecimal characters. */
export const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({ description: "32 hexadecimal characters.", example: "e87a0e1465e1d06e8d979e00fd1fec2a" });

/** Schema of an OTLP span id: 16 lower-case hexadecimal characters. */
export const spanId = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .meta({ description: "16 hexadecimal characters.", example: "588b1f39bacf899a" });
