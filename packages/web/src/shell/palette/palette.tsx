import type { Client } from "@svc/sdk";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { clientOf } from "../../client.ts";
import { sessionQuery } from "../../session.ts";
import { classes } from "../../ui/classes.ts";
import { UserText } from "../../ui/user-text.tsx";
import { lastPlace } from "../last-place.ts";
import { projectsQuery } from "../projects.ts";
import { paletteEntries } from "./entries.ts";
import styles from "./palette.module.css";

/** Number of tests, agents and runs that the palette can find: the newest of each kind. */
const NEWEST = 200;

export default function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const shown = useParams({ strict: false });
  const organizationId = shown.organizationId ?? session?.organization.id ?? "";
  const project = shown.project ?? lastPlace([organizationId])?.project ?? "";
  const { data: all } = useQuery(projectsQuery(organizationId));
  const projectId = all?.projects.find(({ slug }) => slug === project)?.id;
  const { data: names } = useQuery(namesQuery(clientOf(organizationId), organizationId, projectId));
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const role = session?.organizations.find(({ id }) => id === organizationId)?.role;
  const entries = paletteEntries(text, {
    params: { organizationId, project },
    canWrite: role !== "viewer",
    tests: names?.tests ?? [],
    agents: names?.agents ?? [],
    runs: names?.runs ?? [],
  });

  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, active]);

  const open = (at: number) => {
    const entry = entries[at];
    if (entry === undefined) return;
    onClose();
    const { to, params, search = {} } = entry;
    void navigate({ to, params, search } as never);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive((active + step + entries.length) % Math.max(entries.length, 1));
    else if (event.key === "Enter") open(active);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className={styles["palette"]}
      aria-label="Find or do"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles["query"]}>
        <Search size={16} strokeWidth={1.75} aria-hidden />
        <input
          role="combobox"
          aria-label="Find or do"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={entries.length > 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          placeholder="Find a page, a test, an agent, a run…"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={listId} role="listbox" aria-label="Results" className={styles["results"]}>
        {entries.map((entry, at) => (
          <li
            key={`${entry.group} ${at}`}
            id={`${listId}-${at}`}
            role="option"
            aria-selected={at === active}
            className={classes(styles["hit"], at === active && styles["active"])}
            onClick={() => open(at)}
          >
            <UserText inline text={entry.label} />
            <small>
              {entry.detail !== undefined && <UserText inline text={`${entry.detail} · `} />}
              {entry.group}
            </small>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

const namesQuery = (client: Client, organizationId: string, projectId: string | undefined) =>
  queryOptions({
    queryKey: [organizationId, projectId, "palette"],
    queryFn: async ({ signal }) => {
      const [tests, agents, runs] = await Promise.all([
        client.tests.list({ project: projectId, limit: NEWEST }, { signal }),
        client.agents.list({ projectId, pageSize: NEWEST }, { signal }),
        client.runs.list({ projectId, pageSize: NEWEST }, { signal }),
      ]);
      return { tests: tests.items, agents: agents.agents, runs: runs.runs };
    },
    enabled: projectId !== undefined,
    staleTime: 30_000,
  });
