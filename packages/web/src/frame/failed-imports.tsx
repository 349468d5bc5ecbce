import { useQuery } from "@tanstack/react-query";
import { clientOf } from "../client.ts";
import { setupsQuery } from "../setups.ts";
import styles from "./main-menu.module.css";
import { projectsQuery } from "./projects.ts";

/** The number of calls of a project that could not be imported; renders nothing for zero. */
export function FailedImports({ organizationId, project }: { organizationId: string; project: string }) {
  const { data: all } = useQuery(projectsQuery(organizationId));
  const projectId = all?.projects.find(({ slug }) => slug === project)?.id;
  const place = { client: clientOf(organizationId), organizationId, projectId: projectId ?? "" };
  const { data: setups } = useQuery({ ...setupsQuery(place), enabled: projectId !== undefined });
  const failed = setups?.flatMap(({ agents }) => agents).reduce((sum, agent) => sum + agent.open_failures, 0) ?? 0;
  if (failed === 0) return null;
  return (
    <span className={styles["badge"]} aria-label={`${failed} calls not imported`}>
      {failed}
    </span>
  );
}
