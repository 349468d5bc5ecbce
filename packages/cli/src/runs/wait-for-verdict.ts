import { setTimeout as delay } from "node:timers/promises";
import type { Simulation } from "@svc/contract";
import type { Session } from "../session/session.ts";

const LOOK_EVERY_MS = 250;

/** During a grading, the simulation still has its earlier verdict. */
export async function waitForVerdict({ client, projectId }: Session, simulationId: string): Promise<Simulation> {
  for (;;) {
    const { simulation } = await client.simulations.get({ simulationId, projectId });
    if (simulation.grading === "settled") return simulation;
    await delay(LOOK_EVERY_MS);
  }
}
