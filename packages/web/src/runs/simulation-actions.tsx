import type { Simulation } from "@svc/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, Pencil, Scale, ShieldX } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useKeys } from "../ui/use-keys.ts";
import widths from "../ui/widths.module.css";
import { failureNeighbours, failuresOf } from "./grid-rows.ts";
import { gridQuery, runQuery, simulationQuery } from "./queries.ts";
import styles from "./simulation.module.css";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/notice.tsx";
import { TextArea } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { useToast } from "../ui/toast.tsx";

type SimulationActionsProps = { simulation: Simulation; regrade: Regrade };

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
        <Menu label="More actions">
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

/** A veto only lowers a verdict. The veto still applies when the simulation is graded again. */
function VetoDialog({ simulation, onClose }: { simulation: Simulation; onClose: () => void }) {
  const place = usePlace();
  const [reason, setReason] = useState("");
  const veto = useMutation({
    mutationFn: () =>
      place.client.simulations.veto({ simulationId: simulation.id, projectId: place.projectId, reason: reason.trim() }),
    onSuccess: async ({ simulation: vetoed }) => {
      queries.setQueryData(simulationQuery(place, simulation.id).queryKey, vetoed);
      onClose();
      await Promise.all(
        [gridQuery(place, simulation.runId).queryKey, runQuery(place, simulation.runId).queryKey].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
  const errors = veto.error === null ? NO_ERRORS : formErrorsOf(veto.error, ["reason"]);
  return (
    <Dialog
      title="Veto the verdict?"
      lede="The verdict becomes “failed”, and stays so when the simulation is graded again. Use it when the state after the conversation is wrong."
      onClose={onClose}
      onSubmit={() => veto.mutate()}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" look="danger" busy={veto.isPending} disabled={reason.trim() === ""}>
            Veto the verdict
          </Button>
        </>
      }
    >
      <TextArea
        label="Reason"
        placeholder="The calendar does not hold the booking."
        rows={3}
        autoFocus
        value={reason}
        error={errors.fields["reason"]}
        onChange={({ target }) => setReason(target.value)}
      />
      {errors.form !== undefined && <Failure error={veto.error} />}
    </Dialog>
  );
}

export function useRegrade() {
  const place = usePlace();
  const toast = useToast();
  return useMutation({
    mutationFn: (simulationId: string) =>
      place.client.simulations.regrade({ simulationId, projectId: place.projectId }),
    onSuccess: ({ simulation }) => {
      queries.setQueryData(simulationQuery(place, simulation.id).queryKey, simulation);
      toast("The service grades the simulation again.");
    },
  });
}

type Regrade = ReturnType<typeof useRegrade>;
