import { z } from "zod";
import { id } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { count } from "../core/numbers.ts";
import { CALL_MATCHINGS, SIMULATION_HEADER } from "../agents/incoming-call.ts";
import { BehaviorReading } from "../test-definitions/behavior-readings.ts";

/** Plan of a run, which a dry run returns: its tests, who will decide their behaviors, and estimates of time and cost. */
export const RunPlan = z
  .strictObject({
    simulationCount: count(),
    caller: z.enum(["scripted", "model"]),
    concurrency: count(),
    tests: z.array(
      z.strictObject({
        testVersionId: id("tstv"),
        testName: z.string(),
        playable: z.boolean().meta({
          description:
            "`false`: the scenario gives the scripted caller no line. The simulations of the test end with the reason `no_caller_lines`, without a verdict.",
        }),
        personas: z.array(z.string()),
        behaviors: count(),
        decidedByCheck: count("Number of behaviors that code decides."),
        decidedByJudge: count("Number of behaviors that a language model judges."),
        undecided: count(
          "Number of behaviors that the service cannot decide with its current configuration. Their verdict will be `not_graded`.",
        ),
        readings: z
          .array(BehaviorReading)
          .meta({ description: "How the service understands each expected behavior, in the order of the test." }),
      }),
    ),
    modelCallsAtMost: count(
      "Maximum number of language model requests by callers and the judge. A retried request counts once.",
    ),
    estimatedSeconds: z.number().min(0).nullable().meta({
      description:
        "Estimated duration of the run in seconds, from the durations of simulations in the newest runs over this connection; null when there are no such simulations.",
    }),
    estimatedJudgeCost: z.number().min(0).nullable().meta({
      description:
        "Estimated cost of the judge in the currency of the service's prices, from the costs of simulations in the newest runs over this connection. 0 when code decides every behavior; null when no cost is known. The cost of callers is not included.",
    }),
    phoneCalls: z
      .strictObject({
        numbers: z.array(z.string()).meta({ description: "Telephone numbers that the run calls, in E.164." }),
        trunk: z.string().meta({ description: "Name of the trunk that carries the calls." }),
        callsAtMost: count(
          `Greatest number of calls: one for each simulation, and at most ${LIMITS.callsPerSimulation - 1} more when a fault of the service interrupts it.`,
        ),
        minutesAtMost: count(
          "Greatest number of minutes of all these calls, if each lasts as long as the trunk permits.",
        ),
      })
      .nullable()
      .meta({ description: "Null for a run that calls no telephone number." }),
    incomingCalls: z
      .strictObject({
        number: z.string().meta({ description: "Number or URI that the agent must call." }),
        callers: z.string().meta({ description: "Numbers and users that may call." }),
        matching: z.enum(CALL_MATCHINGS).meta({
          description: `\`account\`: one simulation waits at a time. \`header\`: several wait, and a call names its simulation in the header ${SIMULATION_HEADER}.`,
        }),
        waitSeconds: count("Seconds for which a simulation waits for its call."),
        dialUrl: z.string().nullable().meta({
          description: "URL that the service requests for each simulation; null when you let the agent call.",
        }),
      })
      .nullable()
      .meta({ description: "Null for a run that waits for no calls." }),
    warnings: z.array(z.string()),
  })
  .meta({ id: "RunPlan" });
export type RunPlan = z.infer<typeof RunPlan>;
