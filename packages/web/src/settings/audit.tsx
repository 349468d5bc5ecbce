import { AUDIT_OUTCOME_NAMES } from "@svc/contract/constants";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Check, CircleHelp, Download, ScrollText, X, Zap } from "lucide-react";
import { useOrganization } from "../shell/place.ts";
import { projectsQuery } from "../shell/projects.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Filter, Filters, FilterText } from "../ui/filter.tsx";
import { formatPlural } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import {
  type AuditLine,
  type AuditSearch,
  filterWords,
  inputOf,
  placeOf,
  readAuditSearch,
  wayOf,
  whoOf,
} from "./audit-search.ts";
import { auditPages, serviceQuery } from "./queries.ts";
import { AdminsOnly, SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";

const route = getRouteApi("/o/$organizationId/settings/audit");

export function Audit() {
  const { canManage } = useOrganization();
  const search = route.useSearch();
  return (
    <SettingsPage title="Audit" actions={canManage && <Export search={search} />}>
      <AdminsOnly what="the audit">
        <Lede />
        <Lines search={search} />
      </AdminsOnly>
    </SettingsPage>
  );
}

function Lede() {
  const { organizationId } = useOrganization();
  const { data } = useQuery(serviceQuery(organizationId));
  return (
    <p className={styles["lede"]}>
      Every change, every read of recordings, exports and keys, every sign-in, and every attempt that was refused.
      {data && ` A line stays for ${formatPlural(data.service.auditRetentionDays, "day")}, and nobody can change it.`}
    </p>
  );
}

function Export({ search }: { search: AuditSearch }) {
  const { client } = useOrganization();
  const save = useMutation({
    mutationFn: async () => {
      const lines = await new Response(await client.audit.export(inputOf(search))).blob();
      const link = document.createElement("a");
      link.href = URL.createObjectURL(lines);
      link.download = "audit.ndjson";
      link.click();
      URL.revokeObjectURL(link.href);
    },
  });
  return (
    <>
      {save.error && <Failure error={save.error} again={() => save.mutate()} />}
      <Button busy={save.isPending} onClick={() => save.mutate()}>
        <Download size={14} aria-hidden />
        Export
      </Button>
    </>
  );
}

function Lines({ search }: { search: AuditSearch }) {
  const { organizationId } = useOrganization();
  const navigate = useNavigate();
  const list = useInfiniteQuery(auditPages(organizationId, inputOf(search)));
  const change = (changed: Record<string, unknown>) =>
    void navigate({ to: ".", search: readAuditSearch({ ...search, ...changed }), replace: true, resetScroll: false });
  const clear = () => void navigate({ to: ".", search: {}, replace: true });
  const lines = list.data?.pages.flatMap((page) => page.lines);
  const words = filterWords(search);
  return (
    <>
      <LineFilters search={search} onChange={change} />
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {lines === undefined && !list.error && <Skeleton rows={10} />}
      {lines?.length === 0 && words.length > 0 && <EmptyByFilter filters={words} onClear={clear} />}
      {lines?.length === 0 && words.length === 0 && (
        <Empty icon={ScrollText} title="Nothing was done yet">
          <p>The next change in this organization has the first line.</p>
        </Empty>
      )}
      {lines !== undefined && lines.length > 0 && (
        <>
          <LineTable lines={lines} />
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
    </>
  );
}

const LineFilters = ({
  search,
  onChange,
}: {
  search: AuditSearch;
  onChange: (changed: Record<string, unknown>) => void;
}) => (
  <Filters>
    <FilterText
      name="Who"
      value={search.actor}
      help="An e-mail address, or the id of a person or a key"
      onChange={(actor) => onChange({ actor })}
    />
    <FilterText
      name="Operation"
      value={search.operation}
      help="Such as keys.create, or keys for all of its family"
      onChange={(operation) => onChange({ operation })}
    />
    <Filter
      name="Outcome"
      options={AUDIT_OUTCOME_NAMES.map((value) => ({ value, label: value }))}
      value={search.outcome}
      onChange={(outcome) => onChange({ outcome })}
    />
    <FilterText
      name="Resource"
      value={search.resource}
      help="The id of what was changed or read"
      onChange={(resource) => onChange({ resource })}
    />
    <FilterText name="Since" type="date" value={search.fromDay} onChange={(fromDay) => onChange({ fromDay })} />
    <FilterText name="Until" type="date" value={search.toDay} onChange={(toDay) => onChange({ toDay })} />
  </Filters>
);

function LineTable({ lines }: { lines: readonly AuditLine[] }) {
  return (
    <Table
      label="Audit"
      stacked
      columns={[
        { head: "Time" },
        { head: "Who" },
        { head: "Address", wideOnly: true },
        { head: "Operation" },
        { head: "Outcome" },
        { head: "Resource" },
      ]}
    >
      {lines.map((line) => (
        <LineRow key={line.id} line={line} />
      ))}
    </Table>
  );
}

function LineRow({ line }: { line: AuditLine }) {
  const { at, actor, address, operation, resource, projectId, detail } = line;
  const { organizationId } = useOrganization();
  const { data } = useQuery(projectsQuery(organizationId));
  const projects = data?.projects ?? [];
  const place = placeOf(line, organizationId, projects);
  const project = projects.find(({ id }) => id === projectId)?.name;
  return (
    <tr>
      <td className={styles["muted"]}>
        <Time at={at} absolute />
      </td>
      <td>
        <div className={styles["person"]}>
          <div className={styles["name"]}>
            <UserText inline text={whoOf(actor)} />
          </div>
          <div className={styles["muted"]}>
            <UserText inline text={wayOf(actor)} />
          </div>
        </div>
      </td>
      <td className={classes(tables["wideOnly"], styles["muted"])}>{address}</td>
      <td>
        <div className={styles["person"]}>
          <code>{operation}</code>
          {detail !== null && <div className={styles["muted"]}>{detail}</div>}
        </div>
      </td>
      <td>
        <Outcome line={line} />
      </td>
      <td>
        {resource !== null && (
          <div className={styles["person"]}>
            <div>{place === undefined ? resource.kind : <Link to={place}>{resource.kind}</Link>}</div>
            <div className={styles["muted"]}>
              <code>{resource.id}</code>
              {project !== undefined && (
                <>
                  {" in "}
                  <UserText inline text={project} />
                </>
              )}
            </div>
          </div>
        )}
      </td>
    </tr>
  );
}

const OUTCOMES = {
  done: { tone: "quiet", icon: Check },
  refused: { tone: "warning", icon: X },
  failed: { tone: "errored", icon: Zap },
  unknown: { tone: "plain", icon: CircleHelp },
} as const;

const Outcome = ({ line: { outcome, error } }: { line: AuditLine }) => (
  <div className={styles["person"]}>
    <Chip {...OUTCOMES[outcome]}>{outcome}</Chip>
    {error !== null && (
      <div className={styles["muted"]}>
        <code>{error}</code>
      </div>
    )}
  </div>
);
