import { LIMITS, type RunPlan } from "@svc/contract";
import { refusalOfNumber, type TrunkRow, trunkOf } from "../../agents/trunks/rules.ts";
import type { TrunkStore } from "../../agents/trunks/store.ts";
import { AppError } from "../../base/errors.ts";
import type { ConnectionSnapshot } from "../rules.ts";

/** Returns the trunk over which a run calls the connection's number. Throws `unprocessable` when no trunk permits the number. */
export async function trunkOfRun(
  trunks: TrunkStore,
  projectId: string,
  { config }: ConnectionSnapshot,
): Promise<TrunkRow> {
  const trunk = trunkOf(await trunks.listAll(projectId), config["trunk"]);
  if (typeof trunk === "string") throw new AppError("unprocessable", trunk);
  const refusal = refusalOfNumber(trunk, config["phoneNumber"]!);
  if (refusal !== undefined) throw new AppError("unprocessable", refusal);
  return trunk;
}

export type PlannedCalls = { phoneNumber: string; trunk: TrunkRow };

export function forecastPhoneCalls(
  { phoneNumber, trunk }: PlannedCalls,
  simulationCount: number,
): NonNullable<RunPlan["phoneCalls"]> {
  const callsAtMost = simulationCount * LIMITS.callsPerSimulation;
  return {
    numbers: [phoneNumber],
    trunk: trunk.name,
    callsAtMost,
    minutesAtMost: Math.ceil((callsAtMost * trunk.max_call_seconds) / 60),
  };
}

export function phoneCallWarnings({ trunk }: PlannedCalls, simulationCount: number): string[] {
  const { id, name, calls_per_day: perDay } = trunk;
  if (simulationCount <= perDay) return [];
  return [
    `The trunk "${name}" places at most ${perDay} calls in 24 hours, and the run has ${simulationCount} simulations: the others are not played. To raise the limit: svc trunks edit ${id} --calls-per-day ${simulationCount}`,
  ];
}
