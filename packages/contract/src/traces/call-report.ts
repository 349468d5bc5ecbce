import { z } from "zod";
import { json } from "../core/json.ts";
import { countWhenKnown } from "./values.ts";

/** Groups of the platforms' reasons for the end of a call. */
const CALL_ENDINGS = ["completed", "taken_over", "no_contact", "dead_air", "limit", "fault"] as const;

/** A hosted platform's statements about a whole call, in its own words. The service has not checked them. */
export const CallReport = z
  .strictObject({
    provenance: z.literal("provider_reported"),
    status: z.string().nullable().meta({ description: "The platform's name for the state of the call." }),
    ending: z
      .strictObject({
        reason: z.string().meta({ description: "The platform's name for the reason.", example: "user_hangup" }),
        group: z
          .enum(CALL_ENDINGS)
          .nullable()
          .meta({ description: "Group of the reason; null for a reason that the service does not know." }),
      })
      .nullable()
      .meta({ description: "Reason for the end of the call; null when the platform states none." }),
    verdicts: z
      .array(z.strictObject({ name: z.string(), value: json }))
      .meta({ description: "The platform's own verdicts, by name. They arrive some time after the call." }),
    tokens: countWhenKnown("Input and output tokens of all language model requests; null when not reported."),
    costCents: z.number().nullable().meta({ description: "Cost in US cents; null when not reported." }),
  })
  .meta({ id: "CallReport", description: "A hosted platform's statements about a whole call." });
export type CallReport = z.infer<typeof CallReport>;
