import { useNavigate } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Segmented } from "../ui/segmented.tsx";
import { type ListSearch, readListSearch } from "./list-search.ts";
import { readTurnSearch, type TurnSearch } from "./turn-search.ts";

const LISTS = [
  { value: "conversations", label: "Conversations" },
  { value: "turns", label: "Turns" },
] as const;

type ListChoiceProps = { value: (typeof LISTS)[number]["value"]; search: ListSearch | TurnSearch };

/** Changes between the list of conversations and the list of turns. Both lists keep the filters that they share. */
export function ListChoice({ value, search: { sort: _sort, view: _view, ...filters } }: ListChoiceProps) {
  const { params } = usePlace();
  const navigate = useNavigate();
  const show = (list: ListChoiceProps["value"]) =>
    void navigate(
      list === "turns"
        ? { to: "/o/$organizationId/p/$project/conversations/turns", params, search: readTurnSearch(filters) }
        : { to: "/o/$organizationId/p/$project/conversations", params, search: readListSearch(filters) },
    );
  return <Segmented label="List of" options={LISTS} value={value} onChange={show} />;
}
