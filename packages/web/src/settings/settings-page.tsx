import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../frame/page.tsx";
import { SETTINGS_PAGES } from "../frame/page-names.ts";
import { useOrganization } from "../frame/place.ts";
import { TabLinks } from "../ui/tab-links.tsx";

type SettingsPageProps = { title: string; actions?: ReactNode; children: ReactNode };

/** The head of every page of the settings, with links to the others. */
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
