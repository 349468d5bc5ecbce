import type { Simulation } from "@svc/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { TextArea } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { gridQuery, runQuery, simulationQuery } from "./queries.ts";

/** Asks for the reason of a veto. A veto only lowers a verdict, and it stays when the simulation is graded again. */
export function VetoDialog({ simulation, onClose }: { simulation: Simulation; onClose: () => void }) {
  const place = usePlace();
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const veto = useMutation({
    mutationFn: () =>
      place.client.simulations.veto({ simulationId: simulation.id, projectId: place.projectId, reason: reason.trim() }),
    onSuccess: async ({ simulation: vetoed }) => {
      cache.setQueryData(simulationQuery(place, simulation.id).queryKey, vetoed);
      onClose();
      await Promise.all(
        [gridQuery(place, simulation.runId).queryKey, runQuery(place, simulation.runId).queryKey].map((queryKey) =>
          cache.invalidateQueries({ queryKey }),
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
