import type { SavedView } from "@svc/contract";
import type { ViewedList } from "@svc/contract/constants";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { NameDialog } from "../editing/name-dialog.tsx";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { RadioGroup } from "../ui/check.tsx";
import { formatDateTime } from "../ui/format.ts";
import { filterWords } from "./filter-words.ts";
import type { ListSearch } from "./list-search.ts";
import { viewsQuery } from "./queries.ts";
import type { TurnSearch } from "./turn-search.ts";
import { hoursSince, hoursWords, viewQueryOf } from "./view-search.ts";

type ViewDialogProps = {
  list: ViewedList;
  search: ListSearch | TurnSearch;
  /** Hours of the moving range of the filters; undefined when the filters have another range. */
  lastHours: number | undefined;
  /** View that gets the filters; undefined for a new view. */
  view: SavedView | undefined;
  onClose: () => void;
};

/** Saves filters under a name, and opens the view. */
export function ViewDialog({ list, search, lastHours, view, onClose }: ViewDialogProps) {
  const place = usePlace();
  const { client, projectId } = place;
  const navigate = useNavigate();
  const [hours] = useState(() => lastHours ?? hoursSince(search, Date.now()));
  const [range, setRange] = useState<"moving" | "fixed">(view?.query.from === undefined ? "moving" : "fixed");
  const words = filterWords(
    hours === undefined ? (search as ListSearch) : { ...(search as ListSearch), from: undefined },
  );

  async function save(name: string): Promise<void> {
    const query = viewQueryOf(list, search, range === "moving" ? hours : undefined);
    const saved = { name, query, projectId };
    const answer = await (view === undefined
      ? client.views.create(saved)
      : client.views.edit({ ...saved, viewId: view.id }));
    await queries.invalidateQueries(viewsQuery(place));
    void navigate({ to: ".", search: { view: answer.view.id }, replace: true, resetScroll: false });
  }

  return (
    <NameDialog
      title={view === undefined ? "Save the view" : "Update the view"}
      verb={view === undefined ? "Save" : "Update"}
      name={view?.name ?? ""}
      lede="Everybody in the project sees it above the list, and its link shows the same filters, range and order."
      help={
        words.length > 0 && (
          <>
            It shows: <bdi>{words.join(", ")}</bdi>
          </>
        )
      }
      act={save}
      onClose={onClose}
    >
      {hours !== undefined && (
        <RadioGroup
          legend="Range"
          options={[
            { value: "moving", label: `Always ${hoursWords(hours)}` },
            { value: "fixed", label: `Since ${formatDateTime(search.from!)}` },
          ]}
          value={range}
          onChange={setRange}
        />
      )}
    </NameDialog>
  );
}
