import type { Run } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Combobox } from "../ui/combobox.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatDateTime, formatPlural } from "../ui/format.ts";
import { comparisonChoicesQuery } from "./queries.ts";
import { runName } from "./run-words.ts";

/** The older of the two runs becomes the first run of the comparison. */
export function CompareDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const place = usePlace();
  const navigate = useNavigate();
  const { data: runs } = useQuery(comparisonChoicesQuery(place));
  const others = (runs ?? []).filter(({ id }) => id !== run.id);
  // Runs of the same suite or agent come first, because they are usually compared.
  const likely = others.toSorted((a, b) => likeness(b, run) - likeness(a, run));
  const [chosen, setChosen] = useState<string>();
  const other = others.find(({ id }) => id === (chosen ?? likely[0]?.id));
  const compare = () => {
    if (other === undefined) return;
    const [first, second] = other.createdAt < run.createdAt ? [other.id, run.id] : [run.id, other.id];
    void navigate({
      to: "/o/$organizationId/p/$project/runs/compare",
      params: place.params,
      search: { first, second },
    });
  };
  return (
    <Dialog
      title="Compare with another run"
      onClose={onClose}
      onSubmit={compare}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" look="primary" disabled={other === undefined}>
            Compare
          </Button>
        </>
      }
    >
      {runs !== undefined && others.length === 0 ? (
        <p>The project has no other run.</p>
      ) : (
        <Combobox
          label="Run"
          options={likely.map((each) => ({
            value: each.id,
            label: runName(each),
            detail: `${formatDateTime(each.createdAt)}, ${formatPlural(each.testCount, "test")}`,
          }))}
          values={other === undefined ? [] : [other.id]}
          onChange={([value]) => setChosen(value)}
        />
      )}
    </Dialog>
  );
}

const likeness = (other: Run, run: Run): number =>
  (other.suiteId !== null && other.suiteId === run.suiteId ? 2 : 0) + (other.agentId === run.agentId ? 1 : 0);
