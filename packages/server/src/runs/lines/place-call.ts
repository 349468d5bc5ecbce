import { setTimeout as delay } from "node:timers/promises";
import { decideCall, type TrunkCredential, type TrunkRow, trunkOf } from "../../agents/trunks/rules.ts";
import type { TrunkStore } from "../../agents/trunks/store.ts";
import { type ConnectionSnapshot, type RunRow, snapshotOf } from "../rules.ts";
import { LineFailure } from "./line.ts";

/** Longest wait until the trunk is looked at again, because its limits can change meanwhile. */
const LOOK_AGAIN_MS = 5_000;

type WantedCall = {
  simulationId: string;
  projectId: string;
  config: ConnectionSnapshot["config"];
  /** Whether a call waits until the trunk's minute has room for it. */
  waits: boolean;
  signal: AbortSignal;
};

export type PermittedCall = { phoneNumber: string; trunk: TrunkRow; credential: TrunkCredential | undefined };

/**
 * Counts one call towards the limits of its trunk, and returns what the call needs. Rejects with a `LineFailure` when the trunk does
 * not permit the call. Must be called once for each call, directly before it.
 */
export type PlaceCall = (call: WantedCall) => Promise<PermittedCall>;

export type PhoneCalls = {
  placeCall: PlaceCall;
  /**
   * Returns how many simulations of a run may start now so that none of them waits for its trunk: the calls that the minute has room
   * for, without those of `startedIds`, simulations over the same trunk whose call is not placed yet. Infinity for a run that calls
   * no number, and for calls that would be refused.
   */
  roomFor: (run: Pick<RunRow, "project_id" | "connection">, startedIds: readonly string[]) => Promise<number>;
  /** Must be called when a simulation has ended. */
  forget: (simulationId: string) => void;
};

/** Returns the trunk that the plan of a run names; undefined for a run that calls no number. */
export function trunkIdOf(run: Pick<RunRow, "connection">): string | undefined {
  const { connectionType, config } = snapshotOf(run);
  return connectionType === "phone_number" ? config["trunk"] : undefined;
}

export function createPhoneCalls(trunks: TrunkStore): PhoneCalls {
  /** Simulations of this process whose call is placed. */
  const placedIds = new Set<string>();

  const placeCall: PlaceCall = async ({ simulationId, projectId, config, waits, signal }) => {
    const phoneNumber = config["phoneNumber"]!;
    for (;;) {
      const chosen = trunkOf(await trunks.listAll(projectId), config["trunk"]);
      if (typeof chosen === "string") throw new LineFailure("call_not_placed", chosen);
      const credential = await credentialOf(chosen);
      const placed = await trunks.placeCall(projectId, chosen.id, (trunk, calls) =>
        decideCall(trunk, phoneNumber, calls),
      );
      if (placed === undefined) continue;
      const { trunk, decision } = placed;
      if (decision.kind === "place") {
        if (waits) placedIds.add(simulationId);
        return { phoneNumber, trunk, credential };
      }
      if (decision.kind === "refuse" || !waits) throw new LineFailure("call_not_placed", decision.why);
      await delay(Math.min(decision.ms, LOOK_AGAIN_MS), undefined, { signal });
    }
  };

  return {
    placeCall,
    async roomFor(run, startedIds) {
      const trunkId = trunkIdOf(run);
      const read = trunkId === undefined ? undefined : await trunks.readCalls(run.project_id, trunkId);
      if (read === undefined) return Infinity;
      const { trunk, placed } = read;
      if (decideCall(trunk, snapshotOf(run).config["phoneNumber"]!, placed).kind === "refuse") return Infinity;
      const unplaced = startedIds.filter((id) => !placedIds.has(id)).length;
      return trunk.calls_per_minute - placed.lastMinute.length - unplaced;
    },
    forget: (simulationId) => void placedIds.delete(simulationId),
  };

  async function credentialOf({ id, name, hint }: TrunkRow): Promise<TrunkCredential | undefined> {
    if (hint === null) return undefined;
    const credential = await trunks.openCredential(id);
    if (credential !== undefined) return credential;
    throw new LineFailure(
      "credential_rejected",
      `The password of the trunk "${name}" cannot be opened. Enter it again: svc trunks edit ${id} --user USER`,
    );
  }
}
