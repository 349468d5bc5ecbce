import { allOperations, type ErrorCode, type Operation } from "@svc/contract";
import type { OperationName } from "../../support/operation-inputs.ts";
import { askOf, type FlatInput } from "../../support/operation-request.ts";
import { simulationUnderWay } from "../../support/operation-resources.ts";
import type { Ask } from "../../support/request.ts";
import type { World } from "../../support/world.ts";

/** One promised refusal: the request and the code of its answer. */
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

/** Returns the operation's request with a value in each path parameter, for refusals that precede the check of the input. */
export const bareAsk = (op: Operation): Ask =>
  askOf(op, Object.fromEntries(Object.keys(op.params?.shape ?? {}).map((param) => [param, "x"])));

/** Returns the credential of Acme's admin that the operation takes. */
export const adminCredential = (w: World, op: Operation): Partial<Ask> =>
  op.credential === "session" ? { cookie: w.adminCookie } : { key: w.adminKey };

/** Returns the request with a credential with which the service reads its body: Acme's admin's, or an agent's token. */
export async function readAsk(w: World, { name, operation }: Named, ask: Ask): Promise<Ask> {
  if (name !== "simulations.useTool") return { ...ask, ...adminCredential(w, operation) };
  const { simulationId, token } = await simulationUnderWay(w);
  return { ...ask, path: askOf(operation, { simulationId, tool: "look_up" }).path, key: token };
}

/** Returns the request of Acme's admin for a flat input. */
export const adminAsk = (w: World, name: OperationName, input: FlatInput): Ask => {
  const { operation } = allOperations.find((named) => named.name === name)!;
  return { ...askOf(operation, input), ...adminCredential(w, operation) };
};
