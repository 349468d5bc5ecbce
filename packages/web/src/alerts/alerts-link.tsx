import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";

/** `button` makes the link look like a button, for pages without other links. */
export function AlertsLink({ button = false }: { button?: boolean }) {
  const { params } = usePlace();
  return (
    <Link to="/o/$organizationId/p/$project/alerts" params={params} {...(button && { className: buttonClass() })}>
      {button ? "Show the alerts" : "Alerts"}
    </Link>
  );
}
