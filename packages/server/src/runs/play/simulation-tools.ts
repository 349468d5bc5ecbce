import { timingSafeEqual } from "node:crypto";
import { LIMITS } from "@svc/contract";
import { AppError } from "../../errors.ts";
import { newToken, sha256 } from "../../secrets.ts";
import type { ToolUse, UseTool } from "../lines/line.ts";

type Open = { tokenSha256: string; use: UseTool; underWay: number; uses: ToolUse[]; signal: AbortSignal };

export type SimulationTools = ReturnType<typeof openSimulationTools>;

/** The mocked tools of the conversations that are under way, for agents that call them back. */
export function openSimulationTools() {
  const open = new Map<string, Open>();

  return {
    /** From now on the agent may call; the token is for this conversation alone. */
    start(simulationId: string, use: UseTool, signal: AbortSignal) {
      const token = newToken();
      const entry: Open = { tokenSha256: sha256(token), use, underWay: 0, uses: [], signal };
      open.set(simulationId, entry);
      return { token, take: () => entry.uses.splice(0), end: () => open.delete(simulationId) };
    },

    /** An unknown simulation and a wrong token are answered alike. */
    async answer(simulationId: string, authorization: string, call: Parameters<UseTool>[0]) {
      const entry = open.get(simulationId);
      const token = sha256(authorization.replace(/^Bearer +/i, ""));
      if (!entry || !timingSafeEqual(Buffer.from(token), Buffer.from(entry.tokenSha256))) {
        throw new AppError(
          "not_authenticated",
          "Send the token of a simulation that is under way, as `Authorization: Bearer …`; the agent is sent it with each message.",
        );
      }
      if (entry.uses.length + entry.underWay >= LIMITS.toolCallsPerTurn) {
        throw new AppError("conflict", `An agent calls at most ${LIMITS.toolCallsPerTurn} tools in one turn.`);
      }
      entry.underWay++;
      const use = await entry.use(call, entry.signal).finally(() => entry.underWay--);
      entry.uses.push(use);
      return use.error === null ? { result: use.result ?? null } : { error: use.error };
    },
  };
}
