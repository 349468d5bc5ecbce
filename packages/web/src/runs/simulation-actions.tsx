import type { Simulation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, Ellipsis, Pencil, Scale, ShieldX } from "lucide-react";
import { useState } from "react";
import { usePlace } from "../frame/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useKeys } from "../ui/use-keys.ts";
import widths from "../ui/widths.module.css";
import { failureNeighbours, failuresOf } from "./grid-rows.ts";
import { gridQuery } from "./queries.ts";
import styles from "./simulation.module.css";
import type { Regrade } from "./use-regrade.ts";
import { VetoDialog } from "./veto-dialog.tsx";

type SimulationActionsProps = { simulation: Simulation; regrade: Regrade };

/** The controls of one simulation: the failures beside it, its test, another grading, a veto. */
export function SimulationActions({ simulation, regrade }: SimulationActionsProps) {
  const { params, canWrite } = usePlace();
  const [asksVeto, setAsksVeto] = useState(false);
  const canJudge = canWrite && simulation.endedAt !== null && simulation.grading === "settled";
  return (
    <>
      {canWrite && (
        <Link
          to="/o/$organizationId/p/$project/tests/$testId"
          params={{ ...params, testId: simulation.testId }}
          className={buttonClass()}
        >
          <Pencil size={16} aria-hidden />
          <span className={widths["wideOnly"]}>Edit the test</span>
          <span className={widths["narrowOnly"]}>Test</span>
        </Link>
      )}
      <FailureButtons simulation={simulation} />
      {canJudge && (
        <Menu
          trigger={
            <Button look="quiet" iconOnly aria-label="More actions">
              <Ellipsis size={16} aria-hidden />
            </Button>
          }
        >
          <MenuItem icon={Scale} disabled={regrade.isPending} onSelect={() => regrade.mutate(simulation.id)}>
            Grade again
          </MenuItem>
          <MenuItem icon={ShieldX} danger onSelect={() => setAsksVeto(true)}>
            Veto the verdict …
          </MenuItem>
        </Menu>
      )}
      {asksVeto && <VetoDialog simulation={simulation} onClose={() => setAsksVeto(false)} />}
    </>
  );
}

function FailureButtons({ simulation }: { simulation: Simulation }) {
  const place = usePlace();
  const navigate = useNavigate();
  const { data: grid } = useQuery(gridQuery(place, simulation.runId));
  const failures = grid === undefined ? [] : failuresOf(grid);
  const { at, count, previous, next } = failureNeighbours(failures, simulation.id);
  const go = (simulationId: string | undefined) => {
    if (simulationId === undefined) return;
    void navigate({
      to: "/o/$organizationId/p/$project/runs/$runId/simulations/$simulationId",
      params: { ...place.params, runId: simulation.runId, simulationId },
      replace: true,
    });
  };
  useKeys({ "[": () => go(previous), "]": () => go(next) });
  if (count === 0) return null;
  return (
    <span className={styles["failures"]}>
      <Button
        look="quiet"
        iconOnly
        aria-label="Previous failure"
        title="Previous failure ["
        disabled={previous === undefined}
        onClick={() => go(previous)}
      >
        <ChevronUp size={16} aria-hidden />
      </Button>
      <span className={widths["wideOnly"]}>
        {at < 0 ? `${count} ${count === 1 ? "failure" : "failures"}` : `${at + 1} of ${count} failures`}
      </span>
      <Button
        look="quiet"
        iconOnly
        aria-label="Next failure"
        title="Next failure ]"
        disabled={next === undefined}
        onClick={() => go(next)}
      >
        <ChevronDown size={16} aria-hidden />
      </Button>
    </span>
  );
}
