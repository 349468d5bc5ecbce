import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";

export function PersonasLink() {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/personas" params={params}>
      Personas
    </Link>
  );
}
