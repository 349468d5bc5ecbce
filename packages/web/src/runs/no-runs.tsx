import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import styles from "./runs.module.css";

/** The next step in a project without runs: a run of the sample agent, or of an agent of the project. */
export function NoRuns() {
  const { client, organizationId, projectId, params, canWrite } = usePlace();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const sample = useMutation({
    mutationFn: () => client.sample.start({ projectId }),
    onSuccess: async ({ sample: { runId } }) => {
      await navigate({ to: "/o/$organizationId/p/$project/runs/$runId", params: { ...params, runId } });
      await cache.invalidateQueries({ queryKey: [organizationId, projectId] });
    },
  });
  return (
    <Empty
      icon={Play}
      title="No run yet"
      action={
        canWrite && (
          <div className={styles["chips"]}>
            <Button look="primary" busy={sample.isPending} onClick={() => sample.mutate()}>
              Play the sample agent
            </Button>
            <Link to="/o/$organizationId/p/$project/runs/new" params={params} className={buttonClass()}>
              New run
            </Link>
          </div>
        )
      }
    >
      <p>
        A run plays tests against an agent, once for each persona and iteration, and grades every conversation. The
        sample agent books rooms, has one defect, and needs no language model.
      </p>
      {sample.error && <Failure error={sample.error} />}
    </Empty>
  );
}
