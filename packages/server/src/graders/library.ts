import { BUILT_IN, type BuiltInName } from "../grading/built-in/built-in.ts";
import type { GraderVersion } from "./grader.ts";

const idOf = (prefix: "grd" | "grdv", tail: string) => `${prefix}_${tail.padStart(26, "0")}`;

/** The graders that ship with the service; their ids never change, because runs pin them. */
export const SHIPPED: readonly GraderVersion[] = [
  {
    id: idOf("grdv", "1"),
    graderId: idOf("grd", "1"),
    name: "Expected behaviors",
    definition: { kind: "expected_behaviors" },
    counts: true,
  },
  ...(Object.keys(BUILT_IN) as BuiltInName[]).map((name, index): GraderVersion => ({
    id: idOf("grdv", `b${index}`),
    graderId: idOf("grd", `b${index}`),
    name: BUILT_IN[name].label,
    definition: { kind: "built_in", name },
    counts: false,
  })),
];
