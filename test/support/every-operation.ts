import { allOperations } from "@svc/contract";
import { INPUTS, type OperationName } from "./operation-inputs.ts";
import { askOf } from "./operation-request.ts";
import { type Reply, send } from "./request.ts";
import type { World } from "./world.ts";

/** Sends one valid request of every operation, so that each kind of resource exists; returns the answers by operation. */
export async function useEveryOperation(w: World): Promise<Map<string, Reply>> {
  const answers = new Map<string, Reply>();
  for (const { name, operation } of allOperations) {
    if (operation.tag === "Accounts" && operation.credential !== "any") continue;
    const input = await INPUTS[name as OperationName](w);
    const ask = askOf(operation, { project: w.project.id, projectId: w.project.id, ...input });
    const key = operation.permission === "ingest" ? w.projectKey : w.adminKey;
    answers.set(name, await send(w.url, { ...ask, key }));
  }
  return answers;
}
