import { Outlet } from "@tanstack/react-router";
import { useChanges } from "./use-changes.ts";

/** The pages of one project; they follow its changes. */
export function ProjectFrame() {
  useChanges();
  return <Outlet />;
}
