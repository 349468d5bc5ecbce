import { z } from "zod";
import { timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { LINE_CONDITIONS } from "../agents/line-conditions.ts";
import { SIGNALLING_PARTIES, SIGNALLING_STEPS } from "./signalling-steps.ts";
import { countWhenKnown, numberWhenKnown } from "./values.ts";

const SignallingStep = z
  .strictObject({
    step: z.enum(SIGNALLING_STEPS).meta({
      description:
        "`registered`: the registrar took the registration of the service. `waiting`: the service waits for a call of the agent. `invited`: a party placed the call, or placed it again after a challenge. `challenged`: the called side asked for a password. `refused`: the waiting service did not take a call, and waits on. `canceled`: the agent gave its call up before the answer. `ringing`: the called side said that the call proceeds. `answered`: the called side took the call. `heard`: the first sound of the agent arrived. `ended`: the call ended.",
    }),
    at: timestamp(),
    by: z.enum(SIGNALLING_PARTIES).meta({
      description:
        "`caller`: the service, which plays the person, also when the agent calls. `agent`: the agent's side, with its proxies. `outside`: neither of them, for example when no packets arrive any more.",
    }),
    status: countWhenKnown("Status of the SIP response that caused the step; null when no response caused it."),
  })
  .meta({ id: "SignallingStep", description: "One step of a call's signalling." });
export type SignallingStep = z.infer<typeof SignallingStep>;

const PacketCounts = z
  .strictObject({
    packets: count("Number of packets: those that arrived, or those that the service sent."),
    lost: countWhenKnown("Packets that never arrived; null when the other side does not report this number."),
    late: countWhenKnown("Packets that arrived too late to be heard; null for packets that the service sent."),
    jitterMs: numberWhenKnown("Mean interarrival jitter of RFC 3550 in milliseconds; null when unknown."),
    jitterMaxMs: numberWhenKnown("Largest interarrival jitter in milliseconds; null when unknown."),
  })
  .meta({ id: "PacketCounts", description: "The packets of one direction of a call." });
export type PacketCounts = z.infer<typeof PacketCounts>;

const ConditionCounts = z
  .strictObject({
    packets: count("Packets of 20 ms that the service passed through the condition."),
    lost: count("Packets that the condition lost."),
    late: count("Packets that the condition delayed by so much that they were not heard."),
  })
  .meta({ id: "ConditionCounts" });

/** Signalling and packets of a call over SIP. */
export const CallLine = z
  .strictObject({
    steps: z.array(SignallingStep).meta({ description: "Steps in the order in which they happened." }),
    codec: z.string().nullable().meta({
      description: "Encoding of the sound that the service sent; null when the sides agreed on none.",
      example: "PCMU",
    }),
    received: PacketCounts.nullable().meta({ description: "Packets of the agent; null when none arrived." }),
    sent: PacketCounts.nullable().meta({
      description:
        "Packets that the service sent as the caller, with the loss and jitter that the agent's side reported last; null when no packet was sent.",
    }),
    roundTripMs: numberWhenKnown(
      "Milliseconds to the agent's side and back, from the last report of the agent's side; null without a report.",
    ),
    condition: z
      .strictObject({ name: z.enum(LINE_CONDITIONS), toAgent: ConditionCounts, fromAgent: ConditionCounts })
      .nullable()
      .meta({
        description:
          "The bad condition that the connection's field `line` gave the call, with what it did to the sound of both directions; null on a good line.",
      }),
    estimatedMos: numberWhenKnown(
      "Mean opinion score (MOS) from 1 to 4.5, estimated by the E-model of G.107 from the lost and late packets of the agent; null below 100 packets, and for other encodings than PCMU and PCMA.",
    ),
  })
  .meta({ id: "CallLine", description: "The signalling and the packets of a call over SIP." });
export type CallLine = z.infer<typeof CallLine>;
