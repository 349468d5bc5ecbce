import type { WantedArguments } from "../check.ts";
import { takeArguments } from "./arguments.ts";

/** Reads the author's condition on a tool's result, such as `verified = true and code=/^A/`. */
export function readSuccess(text: string): WantedArguments | { problem: string } | undefined {
  const taken = takeArguments(` with ${text.trim()}`);
  if (taken === undefined || "problem" in taken) return taken;
  return taken.rest.trim() === "" ? taken.arguments : undefined;
}
