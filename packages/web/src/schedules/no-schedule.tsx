import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { RecordFailure } from "../ui/empty.tsx";

export function NoSchedule({ error, again }: { error: Error; again: () => unknown }) {
  const { params } = usePlace();
  return (
    <RecordFailure
      error={error}
      again={again}
      noun="schedule"
      action={
        <Link to="/o/$organizationId/p/$project/schedules" params={params} className={buttonClass()}>
          Show the schedules
        </Link>
      }
    >
      Somebody deleted it, or it belongs to another project.
    </RecordFailure>
  );
}
