import { setTimeout as delay } from "node:timers/promises";
import { decideCall, type TrunkCredential, type TrunkRow, trunkOf } from "../../agents/trunks/rules.ts";
import type { TrunkStore } from "../../agents/trunks/store.ts";
import type { ConnectionSnapshot } from "../rules.ts";
import { LineFailure } from "./line.ts";

/** Longest wait until the trunk is looked at again, because its limits can change meanwhile. */
const LOOK_AGAIN_MS = 5_000;

type WantedCall = {
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

export function createPlaceCall(trunks: TrunkStore): PlaceCall {
  return async ({ projectId, config, waits, signal }) => {
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
      if (decision.kind === "place") return { phoneNumber, trunk, credential };
      if (decision.kind === "refuse" || !waits) throw new LineFailure("call_not_placed", decision.why);
      await delay(Math.min(decision.ms, LOOK_AGAIN_MS), undefined, { signal });
    }
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
