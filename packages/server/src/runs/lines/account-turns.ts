import { setTimeout as delay } from "node:timers/promises";
import { type ConnectionSnapshot, type RunRow, snapshotOf } from "../rules.ts";
import type { WaitingAccounts } from "../store/waiting-accounts.ts";
import { LineFailure } from "./line.ts";

const LOOK_AGAIN_MS = 1_000;

type WantedTurn = {
  projectId: string;
  config: ConnectionSnapshot["config"];
  holderId: string;
  /** Whether a simulation waits until no other one waits at the account. */
  waits: boolean;
  signal: AbortSignal;
};

/** The turns of simulations that wait for calls at the same account, one after another. */
export type AccountTurns = {
  /** Resolves with the function that ends the turn. Rejects with a `LineFailure` when the account is taken and `waits` is false. */
  take: (turn: WantedTurn) => Promise<() => Promise<void>>;
  /** Returns how many simulations of a run may start now, when `startedIds` have started over the same account. */
  roomFor: (run: Pick<RunRow, "project_id" | "connection">, startedIds: readonly string[]) => Promise<number>;
};

/** Returns the account at which one simulation of a run waits at a time; undefined for other connections. */
export function soleAccountOf({ connectionType, config }: ConnectionSnapshot): string | undefined {
  const isSole = connectionType === "incoming_call" && config["matching"] !== "header";
  return isSole ? config["account"]!.toLowerCase() : undefined;
}

export function createAccountTurns(
  accounts: WaitingAccounts,
  organizationOf: (projectId: string) => Promise<string>,
): AccountTurns {
  return {
    async take({ projectId, config, holderId, waits, signal }) {
      const organizationId = await organizationOf(projectId);
      const account = config["account"]!.toLowerCase();
      for (;;) {
        const release = await accounts.take(organizationId, account, holderId);
        if (release) return release;
        if (!waits)
          throw new LineFailure(
            "call_not_placed",
            "A simulation or another try waits for a call at this account. Wait until it has ended.",
          );
        await delay(LOOK_AGAIN_MS, undefined, { signal });
      }
    },
    async roomFor(run, startedIds) {
      const account = soleAccountOf(snapshotOf(run));
      if (account === undefined) return Infinity;
      if (startedIds.length > 0) return 0;
      return (await accounts.isTaken(await organizationOf(run.project_id), account)) ? 0 : 1;
    },
  };
}
