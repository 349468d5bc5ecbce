import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../frame/page.tsx";
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
        <Link to="/o/$organizationId/settings/keys" params={params}>
          API keys
        </Link>
        <Link to="/o/$organizationId/settings/members" params={params}>
          Members
        </Link>
        <Link to="/o/$organizationId/settings/organization" params={params}>
          Organization
        </Link>
        <Link to="/o/$organizationId/settings/projects" params={params}>
          Projects
        </Link>
        <Link to="/o/$organizationId/settings/provider-keys" params={params}>
          Provider keys
        </Link>
        <Link to="/o/$organizationId/settings/usage" params={params}>
          Usage and limits
        </Link>
      </TabLinks>
      {children}
    </Page>
  );
}
