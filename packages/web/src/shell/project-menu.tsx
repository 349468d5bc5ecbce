import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronsUpDown, CircleUser, createLucideIcon, LogOut, Plus } from "lucide-react";
import { useState } from "react";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/menu.tsx";
import { ProjectForm } from "./project-form.tsx";
import styles from "./project-menu.module.css";
import { projectsQuery } from "./projects.ts";
import { forgetSignIn } from "./signed-in-before.ts";

/** Empty space as wide as an icon, for menu items without an icon. */
const Blank = createLucideIcon("blank", []);

type ProjectMenuProps = { organizationId: string; project: string | undefined };

export function ProjectMenu({ organizationId, project }: ProjectMenuProps) {
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery(projectsQuery(organizationId));
  const organization = session?.organizations.find(({ id }) => id === organizationId);
  const current = data?.projects.find(({ slug }) => slug === project);
  const others = session?.organizations.filter(({ id }) => id !== organizationId) ?? [];

  const openProject = (slug: string) =>
    navigate({ to: "/o/$organizationId/p/$project", params: { organizationId, project: slug } });
  const signOut = async () => {
    await clientOf().accounts.signOut();
    forgetSignIn();
    queries.clear();
    await navigate({ to: "/sign-in", search: { to: undefined } });
  };

  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" className={styles["trigger"]}>
            <span className={styles["glyph"]} aria-hidden>
              s
            </span>
            <span className={styles["names"]}>
              {current?.name ?? organization?.name}
              {current && <small>{organization?.name}</small>}
            </span>
            <ChevronsUpDown size={14} aria-hidden />
          </button>
        }
      >
        <MenuLabel>Projects of {organization?.name}</MenuLabel>
        {data?.projects.map(({ id, name, slug }) => (
          <MenuItem key={id} icon={slug === project ? Check : Blank} onSelect={() => void openProject(slug)}>
            {name}
            {slug === project && <span className="visually-hidden"> (shown)</span>}
          </MenuItem>
        ))}
        {organization?.role === "admin" && (
          <MenuItem icon={Plus} onSelect={() => setNew(true)}>
            New project
          </MenuItem>
        )}
        {others.length > 0 && (
          <>
            <MenuSeparator />
            <MenuLabel>Other organizations</MenuLabel>
          </>
        )}
        {others.map(({ id, name }) => (
          <MenuItem
            key={id}
            icon={Blank}
            onSelect={() => void navigate({ to: "/o/$organizationId", params: { organizationId: id } })}
          >
            {name}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuLabel>{session?.user.email}</MenuLabel>
        <MenuItem icon={CircleUser} onSelect={() => void navigate({ to: "/account" })}>
          Account
        </MenuItem>
        <MenuItem icon={LogOut} onSelect={() => void signOut()}>
          Sign out
        </MenuItem>
      </Menu>
      {isNew && (
        <ProjectForm
          organizationId={organizationId}
          onDone={({ slug }) => {
            setNew(false);
            void openProject(slug);
          }}
          onClose={() => setNew(false)}
        />
      )}
    </>
  );
}
