import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { clientOf } from "../client.ts";
import type { Session } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Table, tables } from "../ui/table.tsx";

type Organization = Session["organizations"][number];

export function Organizations({ organizations }: { organizations: readonly Organization[] }) {
  const [left, setLeft] = useState<Organization>();
  return (
    <Section title="Organizations">
      <Table label="Organizations" columns={[{ head: "Name" }, { head: "Role" }, { head: "" }]}>
        {organizations.map((organization) => (
          <tr key={organization.id}>
            <td className={tables["name"]}>
              <Link to="/o/$organizationId" params={{ organizationId: organization.id }}>
                {organization.name}
              </Link>
            </td>
            <td>{organization.role}</td>
            <td className={tables["end"]}>
              <Button small look="danger" onClick={() => setLeft(organization)}>
                Leave
              </Button>
            </td>
          </tr>
        ))}
      </Table>
      {left && (
        <LeaveDialog organization={left} isLast={organizations.length === 1} onClose={() => setLeft(undefined)} />
      )}
    </Section>
  );
}

type LeaveDialogProps = { organization: Organization; isLast: boolean; onClose: () => void };

function LeaveDialog({ organization: { id, name }, isLast, onClose }: LeaveDialogProps) {
  return (
    <ConfirmDialog
      title={`Leave ${name}`}
      action="Leave"
      name={name}
      act={async () => {
        await clientOf(id).accounts.leaveOrganization();
        // Loads the application again, because the session may have acted in this organization, or may have ended with it.
        location.assign("/");
      }}
      onClose={onClose}
    >
      <p>
        Your keys and sessions in {name} end at once.
        {isLast && " It is your last organization, and the service deletes your account with it."}
      </p>
    </ConfirmDialog>
  );
}
