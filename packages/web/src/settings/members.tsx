import { useState } from "react";
import { Plus } from "lucide-react";
import { useOrganization } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { AdminsOnly } from "./admins-only.tsx";
import { Invitations } from "./invitations.tsx";
import { MemberTable } from "./member-table.tsx";
import { NewInvitation } from "./new-invitation.tsx";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";

/** The people of the organization, and the invitations that are open. */
export function Members() {
  const { canManage } = useOrganization();
  const [isNew, setNew] = useState(false);
  return (
    <SettingsPage
      title="Members"
      actions={
        canManage && (
          <Button look="primary" onClick={() => setNew(true)}>
            <Plus size={14} aria-hidden />
            Invite a person
          </Button>
        )
      }
    >
      <AdminsOnly what="the members">
        <p className={styles["lede"]}>
          Viewers read. Members also write. Admins also manage the organization, its members and its keys.
        </p>
        <div className={styles["parts"]}>
          <MemberTable />
          <Invitations />
        </div>
        {isNew && <NewInvitation onClose={() => setNew(false)} />}
      </AdminsOnly>
    </SettingsPage>
  );
}
