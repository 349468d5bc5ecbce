import { z } from "zod";

/** Returns the schema of a time zone's IANA name in a request, such as `Europe/Berlin`. */
export const timeZone = (description: string) =>
  z
    .string()
    .min(1)
    .max(64)
    .refine(isTimeZone, "Use the name of a time zone, such as Europe/Berlin.")
    .meta({ description, example: "Europe/Berlin" });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
