import { BUILT_IN_GRADERS } from "@svc/contract";
import { BUILT_IN } from "../grading/built-in/built-in.ts";
import { shippedId } from "../ids.ts";
import type { Definition, Grader, Settings } from "./grader.ts";

/** How a project uses its own graders until it says otherwise. */
export const DEFAULT_SETTINGS: Settings = {
  enabled: true,
  counts: true,
  scope: "simulations",
  productionSampleRate: 1,
};

function shipped(tail: string, name: string, definition: Definition, counts: boolean): Grader {
  const id = shippedId("grd", tail);
  return {
    id,
    projectId: null,
    name,
    current: { id: shippedId("grdv", tail), graderId: id, version: 1, definition, createdAt: null },
    settings: { ...DEFAULT_SETTINGS, counts },
    archivedAt: null,
    createdAt: null,
    updatedAt: null,
  };
}

/**
 * The graders that ship with the service, as a project uses them that changed nothing. Their ids never change, because
 * settings and labels name them, nor does a version's definition, because runs pin it.
 */
export const SHIPPED: readonly Grader[] = [
  shipped("1", "Expected behaviors", { kind: "expected_behaviors" }, true),
  ...BUILT_IN_GRADERS.map((name, index) =>
    shipped(`b${index}`, BUILT_IN[name].label, { kind: "built_in", name }, false),
  ),
];
