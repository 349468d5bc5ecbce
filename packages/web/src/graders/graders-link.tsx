import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";

export function GradersLink() {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/graders" params={params}>
      Graders
    </Link>
  );
}
