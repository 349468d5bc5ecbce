import * as Menu from "@radix-ui/react-dropdown-menu";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronsUpDown, CircleUser, LogOut, Plus } from "lucide-react";
import { useState } from "react";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import menu from "../ui/menu.module.css";
import { ProjectForm } from "./project-form.tsx";
import styles from "./project-menu.module.css";
import { projectsQuery } from "./projects.ts";
import { forgetSignIn } from "./signed-in-before.ts";

type ProjectMenuProps = { organizationId: string; project: string | undefined };

/** Shows the project and the organization, changes to others, creates a project, and signs the person out. */
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
      <Menu.Root modal={false}>
        <Menu.Trigger className={styles["trigger"]}>
          <span className={styles["glyph"]} aria-hidden>
            s
          </span>
          <span className={styles["names"]}>
            {current?.name ?? organization?.name}
            {current && <small>{organization?.name}</small>}
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className={menu["content"]} align="start" sideOffset={4}>
            <Menu.Label className={menu["label"]}>Projects of {organization?.name}</Menu.Label>
            {data?.projects.map(({ id, name, slug }) => (
              <Menu.Item key={id} className={menu["item"]} onSelect={() => void openProject(slug)}>
                {slug === project ? <Check size={14} aria-label="shown" /> : <span className={styles["space"]} />}
                {name}
              </Menu.Item>
            ))}
            {organization?.role === "admin" && (
              <Menu.Item className={menu["item"]} onSelect={() => setNew(true)}>
                <Plus size={14} aria-hidden />
                New project
              </Menu.Item>
            )}
            {others.length > 0 && (
              <>
                <Menu.Separator className={menu["separator"]} />
                <Menu.Label className={menu["label"]}>Other organizations</Menu.Label>
              </>
            )}
            {others.map(({ id, name }) => (
              <Menu.Item
                key={id}
                className={menu["item"]}
                onSelect={() => void navigate({ to: "/o/$organizationId", params: { organizationId: id } })}
              >
                <span className={styles["space"]} />
                {name}
              </Menu.Item>
            ))}
            <Menu.Separator className={menu["separator"]} />
            <Menu.Label className={menu["label"]}>{session?.user.email}</Menu.Label>
            <Menu.Item className={menu["item"]} onSelect={() => void navigate({ to: "/account" })}>
              <CircleUser size={14} aria-hidden />
              Account
            </Menu.Item>
            <Menu.Item className={menu["item"]} onSelect={() => void signOut()}>
              <LogOut size={14} aria-hidden />
              Sign out
            </Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
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
