import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { RUN_STATUSES, SIMULATION_STATUSES, VERDICTS } from "./vocabulary.ts";
import { endingReason } from "./ending.ts";

const seq = count("Place in the run's events, from 1.");
const at = timestamp();

/** What happened in a run. */
export const RunEvent = z
  .discriminatedUnion("kind", [
    z.strictObject({ seq, at, kind: z.literal("run"), status: z.enum(RUN_STATUSES) }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("simulation"),
      simulationId: id("sim"),
      testName: z.string(),
      personaName: z.string(),
      status: z.enum(SIMULATION_STATUSES),
      reason: endingReason,
      verdict: z.enum(VERDICTS).nullable(),
    }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("turn"),
      simulationId: id("sim"),
      attempt: count(),
      index: count(),
      role: z.enum(["caller", "agent"]),
      text: z.string().meta({ description: "What was said; beyond 2,000 characters only the simulation has it." }),
    }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("grade"),
      simulationId: id("sim"),
      verdict: z.enum(VERDICTS),
      behaviorsGraded: count(),
      behaviorCount: count(),
    }),
  ])
  .meta({ id: "RunEvent" });
export type RunEvent = z.infer<typeof RunEvent>;
