import { BUILT_IN_GRADERS, type GraderDefinition, type GraderSettings } from "@svc/contract";
import { BUILT_IN } from "../built-in/built-in.ts";
import { shippedId } from "../../base/ids.ts";
import { shippedRecord } from "../../base/versions.ts";
import type { ShippedGrader } from "./grader.ts";

export const DEFAULT_SETTINGS: GraderSettings = {
  enabled: true,
  counts: true,
  scope: "simulations",
  productionSampleRate: 1,
};

function shipped(tail: string, name: string, definition: GraderDefinition, counts: boolean): ShippedGrader {
  const version = { id: shippedId("grdv", tail), version: 1, content: { definition }, created_at: null };
  return { ...shippedRecord(shippedId("grd", tail), name, [version]), settings: { ...DEFAULT_SETTINGS, counts } };
}

/**
 * The graders that every project has. Never change an id, because settings and labels refer to it. Never change the definition of a
 * version, because runs refer to it.
 */
const LIBRARY: readonly ShippedGrader[] = [
  shipped("1", "Expected behaviors", { kind: "expected_behaviors" }, true),
  ...BUILT_IN_GRADERS.map((name, index) =>
    shipped(`b${index}`, BUILT_IN[name].label, { kind: "built_in", name }, name === "unanswered_turns"),
  ),
];

/** The ids of shipped graders sort before all other ids. */
export const SHIPPED = LIBRARY.toReversed();
