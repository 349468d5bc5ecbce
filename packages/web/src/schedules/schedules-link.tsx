import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";

export function SchedulesLink() {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/schedules" params={params}>
      Schedules
    </Link>
  );
}
