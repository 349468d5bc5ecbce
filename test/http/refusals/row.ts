import { allOperations, type ErrorCode, type Operation } from "@svc/contract";
import type { OperationName } from "../../support/operation-inputs.ts";
import { askOf, type FlatInput } from "../../support/operation-request.ts";
import type { Ask } from "../../support/request.ts";
import type { World } from "../../support/world.ts";

/** One refusal that the interface promises: what is asked, and the code that answers it. */
export type Row = {
  name: string;
  code: ErrorCode;
  ask: (w: World) => Ask | Promise<Ask>;
  headers?: Record<string, string>;
  /** What `details` must hold, as for `toMatchObject`. */
  details?: (w: World) => Record<string, unknown>;
};

export type Named = { name: string; operation: Operation };

export const takingCredentials: Named[] = allOperations.filter(({ operation }) => operation.credential !== "public");
export const takingJson: Named[] = allOperations.filter(
  ({ operation: { body } }) => body !== undefined && body !== "otlp",
);

/** The operation's request with something in each path parameter, for refusals that come before the input is looked at. */
export const bareAsk = (op: Operation): Ask =>
  askOf(op, Object.fromEntries(Object.keys(op.params?.shape ?? {}).map((param) => [param, "x"])));

/** The request of a flat input, as Acme's admin sends it. */
export const adminAsk = (w: World, name: OperationName, input: FlatInput): Ask => {
  const { operation } = allOperations.find((named) => named.name === name)!;
  return { ...askOf(operation, input), key: w.adminKey };
};
