import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";

export function TestsLink() {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/tests" params={params}>
      Tests
    </Link>
  );
}
