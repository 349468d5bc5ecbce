import { z } from "zod";
import { id, timestamp } from "../core/ids.ts";
import { count } from "../core/numbers.ts";
import { VERDICTS } from "../graders/verdicts.ts";
import { endingReason } from "./ending.ts";
import { RUN_STATUSES, SIMULATION_STATUSES } from "./vocabulary.ts";

const seq = count("Sequence number in the run, starting at 1.");
const at = timestamp();

/** Event of a run: a new status of the run or of a simulation, a turn, or a grading. */
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
      message: z.string().nullable().meta({
        description: "Explanation of the end, or of why the simulation is queued again; null without one.",
      }),
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
      text: z.string().nullable().meta({
        description:
          "Text of the turn, cut after 2,000 characters; the simulation contains the full text. Null while the words are unknown.",
      }),
    }),
    z.strictObject({
      seq,
      at,
      kind: z.literal("grade"),
      simulationId: id("sim"),
      verdict: z.enum(VERDICTS),
      behaviorsGraded: count("Number of behaviors with the verdict `passed` or `failed`."),
      behaviorCount: count(),
    }),
  ])
  .meta({ id: "RunEvent" });
export type RunEvent = z.infer<typeof RunEvent>;
