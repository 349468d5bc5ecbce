import type { TestContext } from "vitest";
import { IN_PROCESS } from "./program.ts";

/** Skips a test of state that only a service in this process shows, when the service is an executable. */
export function needsProcess({ skip }: TestContext): void {
  skip(!IN_PROCESS, "the executable does not show this state");
}
