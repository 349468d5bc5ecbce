import { Link, type LinkProps, useParams } from "@tanstack/react-router";
import { House, KeyRound, type LucideIcon, MessagesSquare } from "lucide-react";
import { Appearance } from "./appearance.tsx";
import { lastPlace } from "./last-place.ts";
import styles from "./main-menu.module.css";
import { ProjectMenu } from "./project-menu.tsx";

/** The main navigation: the project, its pages, and the settings at the foot. */
export function MainMenu() {
  const { organizationId, project: shown } = useParams({ strict: false }) as { organizationId: string; project?: string };
  const project = shown ?? lastPlace([organizationId])?.project;
  const params = { organizationId, project: project ?? "" };
  return (
    <nav className={styles["nav"]} aria-label="Main">
      <ProjectMenu organizationId={organizationId} project={project} />
      {project !== undefined && (
        <ul>
          <Item icon={House} to="/o/$organizationId/p/$project" params={params} exact>
            Overview
          </Item>
          <Item icon={MessagesSquare} to="/o/$organizationId/p/$project/conversations" params={params}>
            Conversations
          </Item>
        </ul>
      )}
      <ul className={styles["foot"]}>
        <Item icon={KeyRound} to="/o/$organizationId/settings/keys" params={params}>
          API keys
        </Item>
        <li>
          <Appearance />
        </li>
      </ul>
    </nav>
  );
}

type ItemProps = { icon: LucideIcon; exact?: boolean; children: string } & Pick<LinkProps, "to" | "params">;

function Item({ icon: Icon, exact = false, children, ...link }: ItemProps) {
  return (
    <li>
      <Link {...link} className={styles["item"]} activeOptions={{ exact, includeSearch: false }}>
        <Icon size={16} strokeWidth={1.75} aria-hidden />
        {children}
      </Link>
    </li>
  );
}
