import type { Simulation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../frame/place.ts";
import { Failure } from "../ui/failure.tsx";
import { playedVersionQuery } from "./queries.ts";
import styles from "./simulation.module.css";

/** The scenario that a simulation played, folded until a person asks for it. */
export function PlayedScenario({ simulation }: { simulation: Simulation }) {
  const place = usePlace();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery(playedVersionQuery(place, simulation.testVersionId, isOpen));
  return (
    <details className={styles["scenario"]} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Scenario that was played, version {simulation.testVersion}</summary>
      {error && <Failure error={error} />}
      {data && <pre dir="auto">{data.scenario}</pre>}
    </details>
  );
}
