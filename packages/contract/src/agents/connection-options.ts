import { z } from "zod";
import { getOperation } from "../core/resource-operations.ts";
import { ConnectionOption } from "./connection-option.ts";

/** The supported connection types. */
export const connectionOptions = {
  /** Lists every connection type, with the fields of `config` and `credential` for each access variant. */
  list: getOperation({
    path: "/v1/connection-options",
    summary: "List connection types and their fields",
    tag: "Agents and connections",
    scope: "none",
    answer: z.strictObject({ connectionOptions: z.array(ConnectionOption) }),
  }),
};
