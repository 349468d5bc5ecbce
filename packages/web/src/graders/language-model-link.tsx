import { Link } from "@tanstack/react-router";
import { useOrganization } from "../shell/place.ts";

/** Says how to set a language model: a link for admins, and whom to ask for others. */
export function LanguageModelLink() {
  const { canManage, name, organizationId } = useOrganization();
  if (!canManage) return <>Ask an admin of {name} to set one.</>;
  return (
    <Link to="/o/$organizationId/settings/language-model" params={{ organizationId }}>
      Set a language model
    </Link>
  );
}
