import { z } from "zod";
import { json } from "../core/json.ts";
import { countWhenKnown, numberWhenKnown } from "./values.ts";

/** Groups of the platforms' reasons for the end of a call. */
const CALL_ENDINGS = ["completed", "taken_over", "no_contact", "dead_air", "limit", "fault"] as const;

const text = (description: string) => z.string().nullable().meta({ description });
const milliseconds = numberWhenKnown("Milliseconds; null when not reported.");
const variables = (description: string) => z.record(z.string(), json).nullable().meta({ description });

/** Latency of one component of the platform in a call, from the platform's report. */
const ReportedLatency = z
  .strictObject({
    component: z.string().meta({ description: "The platform's name for the component.", example: "knowledge_base" }),
    n: countWhenKnown("Number of values; null when not reported."),
    min: milliseconds,
    max: milliseconds,
    p50: milliseconds,
    p90: milliseconds,
    p95: milliseconds,
    p99: milliseconds,
  })
  .meta({ id: "ReportedLatency", description: "The latency of one component, as the platform reports it." });

/** Report of a hosted platform about a whole call, in the platform's words. The service has not checked the report. */
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
    callType: text("The platform's name for the kind of call, such as `phone_call`; null when not reported."),
    direction: z
      .enum(["inbound", "outbound"])
      .nullable()
      .meta({ description: "Direction of the call as the agent sees it; null for a call without a direction." }),
    fromNumber: text("Number of the party that called; null when not reported."),
    toNumber: text("Number that was called; null when not reported."),
    transferDestination: text("Number or SIP address to which the call was transferred; null without a transfer."),
    agentVersion: text("The platform's version of the agent; null when not reported."),
    summary: text("The platform's summary of the call. It arrives some time after the call."),
    sentiment: text("The platform's name for the user's sentiment. It arrives some time after the call."),
    verdicts: z
      .array(z.strictObject({ name: z.string(), value: json }))
      .meta({ description: "The platform's own verdicts, by name. They arrive some time after the call." }),
    metadata: json.meta({ description: "Data that the platform's customer stored with the call.", override: {} }),
    dynamicVariables: variables("Variables given to the agent before the call; null when not reported."),
    collectedVariables: variables("Variables that the agent collected during the call; null when not reported."),
    recordings: z
      .array(z.strictObject({ name: z.string(), url: z.string() }))
      .meta({ description: "Addresses of recordings under the platform's names, without signatures." }),
    logUrl: text("Address of the platform's log of the call, without its signature; null when not reported."),
    tokens: countWhenKnown("Input and output tokens of all language model requests; null when not reported."),
    costCents: z.number().nullable().meta({ description: "Cost in US cents; null when not reported." }),
    costs: z
      .array(z.strictObject({ product: z.string(), cents: z.number() }))
      .meta({ description: "Cost of each product in US cents." }),
    latencies: z.array(ReportedLatency).meta({
      description:
        "Latencies of the platform's components. Values with the definition of a measure are also samples of that measure.",
    }),
  })
  .meta({ id: "CallReport", description: "A hosted platform's statements about a whole call." });
export type CallReport = z.infer<typeof CallReport>;
