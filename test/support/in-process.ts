import type { TestContext } from "vitest";
import { IN_PROCESS } from "./program.ts";

/** Skips a test that reads the state of a service in this process, when the specs start the service as an executable. */
export function needsProcess({ skip }: TestContext): void {
  skip(!IN_PROCESS, "the executable does not show this state");
}
