import type { SavedView } from "@svc/contract";
import type { ViewedList } from "@svc/contract/constants";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { RadioGroup } from "../ui/check.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
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
  const [name, setName] = useState(view?.name ?? "");
  const [hours] = useState(() => lastHours ?? hoursSince(search, Date.now()));
  const [range, setRange] = useState<"moving" | "fixed">(view?.query.from === undefined ? "moving" : "fixed");
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const query = viewQueryOf(list, search, range === "moving" ? hours : undefined);
      const saved = { name, query, projectId };
      const answer = await (view === undefined
        ? client.views.create(saved)
        : client.views.edit({ ...saved, viewId: view.id }));
      await queries.invalidateQueries(viewsQuery(place));
      return answer.view.id;
    },
    onSuccess: (id) => {
      onClose();
      void navigate({ to: ".", search: { view: id }, replace: true, resetScroll: false });
    },
  });
  const words = filterWords(
    hours === undefined ? (search as ListSearch) : { ...(search as ListSearch), from: undefined },
  );
  return (
    <Dialog
      title={view === undefined ? "Save the view" : "Update the view"}
      lede="Everybody in the project sees it above the list, and its link shows the same filters, range and order."
      onClose={onClose}
      onSubmit={() => {
        if (name.trim() !== "") mutate();
      }}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={isPending} disabled={name.trim() === ""}>
            {view === undefined ? "Save" : "Update"}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        error={error?.message}
        help={
          words.length > 0 && (
            <>
              It shows: <bdi>{words.join(", ")}</bdi>
            </>
          )
        }
        onChange={({ target }) => setName(target.value)}
      />
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
    </Dialog>
  );
}
