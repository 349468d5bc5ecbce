import type { ViewedList } from "@svc/contract/constants";
import { Link, useNavigate } from "@tanstack/react-router";
import { Bookmark, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { NameDialog } from "../editing/name-dialog.tsx";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { type ListSearch } from "./list-search.ts";
import { viewsQuery } from "./queries.ts";
import { shownText } from "./shown-text.ts";
import type { TurnSearch } from "./turn-search.ts";
import type { OpenedView, OpeningView } from "./use-opened-view.ts";
import { isChosen } from "./view-search.ts";
import { ViewDialog } from "./view-dialog.tsx";
import styles from "./view-tabs.module.css";

type ViewProps = { list: ViewedList; opened: OpenedView<ListSearch> | OpenedView<TurnSearch> };

const TO = {
  conversations: "/o/$organizationId/p/$project/conversations",
  turns: "/o/$organizationId/p/$project/conversations/turns",
} as const;

/** Otherwise the link to the whole list would be current in each of its views. */
const EXACT = { exact: true, includeSearch: true } as const;

/** Links to the saved views of a list, with the buttons that save. Without a view there is nothing to see. */
export function ViewTabs({ list, opened }: ViewProps) {
  const { views, view, isGone, isChanged } = opened;
  const { params, canWrite } = usePlace();
  return (
    <>
      {views.length > 0 && (
        <div className={styles["row"]}>
          <nav className={styles["tabs"]} aria-label="Saved views">
            <Link
              to={TO[list]}
              params={params}
              search={{}}
              activeOptions={EXACT}
              aria-current={view === undefined && !isGone ? "page" : undefined}
            >
              All
            </Link>
            {views.map(({ id, name }) => (
              <span key={id} className={styles["tab"]}>
                <Link
                  to={TO[list]}
                  params={params}
                  search={{ view: id }}
                  activeOptions={EXACT}
                  title={name}
                  aria-current={id === view?.id ? "page" : undefined}
                >
                  <bdi>{shownText(name)}</bdi>
                  {id === view?.id && isChanged && <i>changed</i>}
                </Link>
                {id === view?.id && canWrite && <ViewMenu list={list} view={view} />}
              </span>
            ))}
          </nav>
          <SaveView list={list} opened={opened} />
        </div>
      )}
      {isGone && (
        <div className={styles["notice"]}>
          <Notice kind="warning">
            This view is gone: somebody deleted it, or it belongs to another project. The list shows everything.
          </Notice>
        </div>
      )}
      {view?.problems.map(({ filter, message }) => (
        <div key={filter} className={styles["notice"]}>
          <Notice kind="warning">{message}</Notice>
        </div>
      ))}
    </>
  );
}

type ViewMenuProps = { list: ViewedList; view: { id: string; name: string } };

function ViewMenu({ list, view }: ViewMenuProps) {
  const place = usePlace();
  const { client, projectId, params } = place;
  const navigate = useNavigate();
  const [asks, setAsks] = useState<"rename" | "delete">();
  const close = () => setAsks(undefined);
  const load = () => queries.invalidateQueries(viewsQuery(place));
  return (
    <>
      <Menu label={`Change the view ${view.name}`} small>
        <MenuItem icon={Pencil} onSelect={() => setAsks("rename")}>
          Rename
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setAsks("delete")}>
          Delete
        </MenuItem>
      </Menu>
      {asks === "rename" && (
        <NameDialog
          title="Rename the view"
          verb="Rename"
          name={view.name}
          act={async (name) => {
            await client.views.edit({ viewId: view.id, name, projectId });
            await load();
          }}
          onClose={close}
        />
      )}
      {asks === "delete" && (
        <ConfirmDialog
          title="Delete the view?"
          action="Delete the view"
          act={() => client.views.delete({ viewId: view.id, projectId })}
          onDone={async () => {
            await navigate({ to: TO[list], params, search: {}, replace: true });
            await load();
          }}
          onClose={close}
        >
          <p>
            “<bdi>{shownText(view.name)}</bdi>” is deleted for everybody in the project. Links to it then show the whole
            list. No conversation is deleted.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Buttons that save the filters: as a new view, or in the opened view after a change. */
export function SaveView({ list, opened: { view, isChanged, search, lastHours } }: ViewProps) {
  const { canWrite } = usePlace();
  const [saves, setSaves] = useState<"new" | "opened">();
  if (!canWrite || (view === undefined ? !isChosen(search) : !isChanged)) return null;
  return (
    <>
      {view !== undefined && (
        <Button look="quiet" onClick={() => setSaves("opened")}>
          <Bookmark size={14} aria-hidden />
          Update view
        </Button>
      )}
      <Button look="quiet" onClick={() => setSaves("new")}>
        {view === undefined && <Bookmark size={14} aria-hidden />}
        {view === undefined ? "Save view" : "Save as new"}
      </Button>
      {saves !== undefined && (
        <ViewDialog
          list={list}
          search={search}
          lastHours={lastHours}
          view={saves === "opened" ? view : undefined}
          onClose={() => setSaves(undefined)}
        />
      )}
    </>
  );
}

/** Shown while the view in the address loads. */
export const Opening = (opening: OpeningView) =>
  opening.state === "failed" ? <Failure error={opening.error} again={opening.again} /> : <Skeleton rows={12} />;
