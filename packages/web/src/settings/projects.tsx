import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { ProjectForm } from "../shell/project-form.tsx";
import { projectsQuery } from "../shell/projects.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Empty } from "../ui/empty.tsx";
import { formatPlural } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";

export function Projects() {
  const { organizationId, canManage, name: organization } = useOrganization();
  const { data, error, refetch } = useQuery(projectsQuery(organizationId));
  const [form, setForm] = useState<{ projectId?: string }>();
  const close = () => setForm(undefined);
  const edited = data?.projects.find(({ id }) => id === form?.projectId);
  const create = canManage && (
    <Button look="primary" onClick={() => setForm({})}>
      <Plus size={14} aria-hidden />
      New project
    </Button>
  );
  return (
    <SettingsPage title="Projects" actions={create}>
      <p className={styles["lede"]}>
        A project has its own agents, tests, runs and conversations.
        {!canManage && ` An admin of ${organization} creates and changes projects.`}
      </p>
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={3} />}
      {data?.projects.length === 0 && (
        <Empty title="No project yet" action={create}>
          <p>Agents, tests and conversations belong to a project.</p>
        </Empty>
      )}
      {data !== undefined && data.projects.length > 0 && (
        <Table
          label="Projects"
          columns={[
            { head: "Name" },
            { head: "Slug" },
            { head: "Conversations stay", numeric: true, wideOnly: true },
            { head: "Created", numeric: true, wideOnly: true },
            ...(canManage ? [{ head: "" }] : []),
          ]}
        >
          {data.projects.map(({ id, name, slug, retentionDays, createdAt }) => (
            <tr key={id}>
              <td className={tables["name"]}>
                <Link to="/o/$organizationId/p/$project" params={{ organizationId, project: slug }}>
                  {name}
                </Link>
              </td>
              <td className={styles["muted"]}>
                <code>{slug}</code>
              </td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                {retentionDays === null ? "As the service keeps them" : formatPlural(retentionDays, "day")}
              </td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                <Time at={createdAt} absolute />
              </td>
              {canManage && (
                <td className={tables["num"]}>
                  <Button small onClick={() => setForm({ projectId: id })}>
                    Change
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </Table>
      )}
      {form && <ProjectForm organizationId={organizationId} project={edited} onDone={close} onClose={close} />}
    </SettingsPage>
  );
}
