import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { Page } from "../shell/page.tsx";
import { SETTINGS_PAGES } from "../shell/page-names.ts";
import { useOrganization } from "../shell/place.ts";
import styles from "./settings-page.module.css";
import { Empty } from "../ui/empty.tsx";

type SettingsPageProps = { title: string; actions?: ReactNode; children: ReactNode };

export function SettingsPage({ title, actions, children }: SettingsPageProps) {
  const { organizationId } = useOrganization();
  const params = { organizationId };
  return (
    <Page title={title} above={<span>Settings</span>} actions={actions}>
      <TabLinks label="Settings">
        {SETTINGS_PAGES.map(([name, segment]) => (
          <Link key={segment} to={`/o/$organizationId/settings/${segment}`} params={params}>
            {name}
          </Link>
        ))}
      </TabLinks>
      {children}
    </Page>
  );
}

/** A narrow screen scrolls the row to the link of the current page. */
function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, []);
  return (
    <nav ref={nav} className={styles["tabs"]} aria-label={label}>
      {children}
    </nav>
  );
}

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
