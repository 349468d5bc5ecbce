import { allOperations, type ErrorCode, type Operation } from "@svc/contract";
import type { OperationName } from "../../support/operation-inputs.ts";
import { askOf, type FlatInput } from "../../support/operation-request.ts";
import { simulationUnderWay } from "../../support/operation-resources.ts";
import type { Ask } from "../../support/request.ts";
import type { World } from "../../support/world.ts";

/** A refusal that the contract promises: a request, and the error code of its answer. */
export type Row = {
  name: string;
  code: ErrorCode;
  ask: (w: World) => Ask | Promise<Ask>;
  headers?: Record<string, string>;
  /** The expected `details`, for `toMatchObject`. */
  details?: (w: World) => Record<string, unknown>;
};

export type Named = { name: string; operation: Operation };

export const takingCredentials: Named[] = allOperations.filter(({ operation }) => operation.credential !== "public");
export const takingJson: Named[] = allOperations.filter(
  ({ operation: { body } }) => body !== undefined && body !== "otlp",
);

/**
 * Returns the operation's request with any value in each path parameter, for refusals that the service decides before it checks the
 * input.
 */
export const bareAsk = (op: Operation): Ask =>
  askOf(op, Object.fromEntries(Object.keys(op.params?.shape ?? {}).map((param) => [param, "x"])));

/** Returns a credential of Acme's admin that the operation accepts. */
export const adminCredential = (w: World, op: Operation): Partial<Ask> =>
  op.credential === "session" ? { cookie: w.adminCookie } : { key: w.adminKey };

/** Adds a credential with which the service reads the request's body: that of Acme's admin, or an agent's token. */
export async function readAsk(w: World, { name, operation }: Named, ask: Ask): Promise<Ask> {
  if (name !== "simulations.useTool") return { ...ask, ...adminCredential(w, operation) };
  const { simulationId, token } = await simulationUnderWay(w);
  return { ...ask, path: askOf(operation, { simulationId, tool: "look_up" }).path, key: token };
}

/** Returns the request that Acme's admin sends for a flat input. */
export const adminAsk = (w: World, name: OperationName, input: FlatInput): Ask => {
  const { operation } = allOperations.find((named) => named.name === name)!;
  return { ...askOf(operation, input), ...adminCredential(w, operation) };
};
