import type { ReactNode } from "react";
import { useOrganization } from "../frame/place.ts";
import { Empty } from "../ui/empty.tsx";

/** Shows its content to admins, and a notice that names the admins' role to other people. */
export function AdminsOnly({ what, children }: { what: string; children: ReactNode }) {
  const { canManage, role, name } = useOrganization();
  if (canManage) return children;
  return (
    <Empty title={`Admins manage ${what}`}>
      <p>
        Your role in {name} is {role}. Ask an admin of {name} for a change, or for the role admin.
      </p>
    </Empty>
  );
}
