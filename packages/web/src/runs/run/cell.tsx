import { Link } from "@tanstack/react-router";
import { Ban, LoaderCircle } from "lucide-react";
import { usePlace } from "../../frame/place.ts";
import { VerdictIcon, type VerdictName, wordOf } from "../../ui/chip.tsx";
import { classes } from "../../ui/classes.ts";
import styles from "./cell.module.css";

type GridSimulation = {
  id: string;
  status: "queued" | "claimed" | "running" | "completed" | "failed" | "canceled";
  verdict: VerdictName | null;
  behaviorsGraded: number;
  behaviorCount: number;
};

/** Returns the state of a simulation in words. */
export function stateWords({ status, verdict, behaviorsGraded, behaviorCount }: GridSimulation): string {
  if (verdict !== null) {
    const graded = behaviorCount > 0 ? `, ${behaviorsGraded} of ${behaviorCount} behaviors graded` : "";
    return `${wordOf(verdict)}${graded}`;
  }
  if (status === "canceled") return "Canceled";
  if (status === "queued") return "Queued";
  return status === "completed" || status === "failed" ? "Played, being graded" : "Running";
}

type CellProps = { simulation: GridSimulation; name: string; runId: string };

/** One simulation as a square that leads to it. Only a failed one is solid, so that failures stand out without colour. */
export function Cell({ simulation, name, runId }: CellProps) {
  const { params } = usePlace();
  const { id, status, verdict, behaviorsGraded, behaviorCount } = simulation;
  const isPart = verdict === "passed" && behaviorsGraded < behaviorCount;
  const words = `${name}: ${stateWords(simulation)}`;
  const isRunning = verdict === null && status !== "queued" && status !== "canceled";
  return (
    <Link
      to="/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId"
      params={{ ...params, runId, simulationId: id }}
      preload={false}
      aria-label={words}
      title={words}
      className={classes(styles["cell"], styles[verdict ?? (isRunning ? "running" : status)], isPart && styles["part"])}
    >
      {verdict !== null && <VerdictIcon verdict={verdict} plain />}
      {isRunning && <LoaderCircle size={13} aria-hidden />}
      {verdict === null && status === "canceled" && <Ban size={13} aria-hidden />}
    </Link>
  );
}
