import { LIMITS } from "@svc/contract/constants";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { agentVersionsQuery } from "../agent-versions.ts";
import { CHANNEL_OPTIONS } from "../channel-words.ts";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Filter, Filters, FilterText } from "../ui/filter.tsx";
import { formatDateTime, formatMs } from "../ui/format.ts";
import { SearchField } from "../ui/field.tsx";
import { NOTE_OPTIONS, SLOW_OPTIONS, VERDICT_OPTIONS } from "./filter-words.ts";
import styles from "./list-filters.module.css";
import { type ListSearch, readListSearch, SORTS } from "./list-search.ts";
import { agentChoices, runChoices } from "./queries.ts";

const HOUR_MS = 3_600_000;
const SINCE: [string, number][] = [
  ["last hour", HOUR_MS],
  ["last 24 hours", 24 * HOUR_MS],
  ["last 7 days", 7 * 24 * HOUR_MS],
  ["last 30 days", 30 * 24 * HOUR_MS],
];
export const INTERRUPTED = [
  { value: "true", label: "cut short" },
  { value: "false", label: "never" },
];
const SORT_WORDS: Record<(typeof SORTS)[number], string> = {
  "-startedAt": "Newest first",
  startedAt: "Oldest first",
  "-slowest": "Slowest answer first",
  slowest: "Slowest answer last",
  "-latency": "Slowest mean first",
  latency: "Fastest mean first",
  "-duration": "Longest first",
  duration: "Shortest first",
};

type ListFiltersProps = {
  search: ListSearch;
  onChange: (search: ListSearch) => void;
  /** Buttons after the filters. */
  children: ReactNode;
};

export function ListFilters({ search, onChange, children }: ListFiltersProps) {
  const place = usePlace();
  const agents = useQuery(agentChoices(place));
  const set = (changed: Record<string, unknown>) => onChange(readListSearch({ ...search, ...changed }));
  return (
    <Filters>
      <SearchField
        label="Words said, agent or conversation id"
        value={search.search ?? ""}
        onChange={(text) => set({ search: text.trim().slice(0, LIMITS.searchCharacters) })}
      />
      <Filter
        name="Source"
        options={[
          { value: "production", label: "production" },
          { value: "simulation", label: "simulation" },
        ]}
        value={search.source}
        onChange={(source) => set({ source })}
      />
      <SinceFilter search={search} onChange={(from) => set({ from })} />
      {search.to !== undefined && (
        <FilterText name="Until" value={search.to} format={(to) => formatDateTime(to)} onChange={(to) => set({ to })} />
      )}
      <Filter
        name="Agent"
        options={withValue(agents.data ?? [], search.agent)}
        value={search.agent}
        onChange={(agent) => set({ agent, withoutAgent: undefined })}
      />
      {search.alert !== undefined && (
        <Filter
          name="Alert"
          options={[{ value: search.alert, label: "those that raised it" }]}
          value={search.alert}
          onChange={(alert) => set({ alert })}
        />
      )}
      {search.withoutAgent !== undefined && (
        <Filter
          name="Agent"
          options={[{ value: "true", label: "without a name" }]}
          value={search.withoutAgent}
          onChange={(withoutAgent) => set({ withoutAgent })}
        />
      )}
      <Filter
        name="Errors"
        options={[
          { value: "error", label: "with errors" },
          { value: "ok", label: "without errors" },
        ]}
        value={search.status}
        onChange={(status) => set({ status })}
      />
      <MoreFilters search={search} set={set} />
      {children}
      <select
        className={styles["sort"]}
        aria-label="Order"
        value={search.sort ?? "-startedAt"}
        onChange={({ target }) => set({ sort: target.value === "-startedAt" ? undefined : target.value })}
      >
        {SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {SORT_WORDS[sort]}
          </option>
        ))}
      </select>
    </Filters>
  );
}

type MoreFiltersProps = { search: ListSearch; set: (changed: Record<string, unknown>) => void };

function MoreFilters({ search, set }: MoreFiltersProps) {
  const place = usePlace();
  const [isOpen, setOpen] = useState(false);
  const runs = useQuery({ ...runChoices(place), enabled: isOpen || search.run !== undefined });
  const versions = useQuery({ ...agentVersionsQuery(place, search.agent), enabled: isOpen });
  const isShown = (value: unknown) => isOpen || value !== undefined;
  return (
    <>
      {isShown(search.version) && (
        <Filter
          name="Version"
          options={withValue(
            [...new Set((versions.data?.agentVersions ?? []).map(({ version }) => version))],
            search.version,
          )}
          value={search.version}
          onChange={(version) => set({ version })}
        />
      )}
      {isShown(search.channel) && (
        <Filter
          name="Channel"
          options={CHANNEL_OPTIONS}
          value={search.channel}
          onChange={(channel) => set({ channel })}
        />
      )}
      {isShown(search.slow) && (
        <Filter
          name="Slow"
          options={slowOptions(search.slow)}
          value={search.slow === undefined ? undefined : String(search.slow)}
          onChange={(slow) => set({ slow })}
        />
      )}
      {isShown(search.interrupted) && (
        <Filter
          name="Interrupted"
          options={INTERRUPTED}
          value={search.interrupted}
          onChange={(interrupted) => set({ interrupted })}
        />
      )}
      {isShown(search.tool) && (
        <FilterText name="Tool" value={search.tool} help="The exact name" onChange={(tool) => set({ tool })} />
      )}
      {isShown(search.verdict) && (
        <Filter
          name="Verdict"
          options={VERDICT_OPTIONS}
          value={search.verdict}
          onChange={(verdict) => set({ verdict })}
        />
      )}
      {isShown(search.run) && (
        <Filter
          name="Run"
          options={(runs.data?.runs ?? []).map(({ id, name, createdAt }) => ({
            value: id,
            label: `${name}, ${formatDateTime(createdAt)}`,
          }))}
          value={search.run}
          onChange={(run) => set({ run })}
        />
      )}
      {isShown(search.ending) && (
        <FilterText
          name="Ending"
          value={search.ending}
          help="As the platform names it"
          onChange={(ending) => set({ ending })}
        />
      )}
      {isShown(search.note) && (
        <Filter name="Note" options={NOTE_OPTIONS} value={search.note} onChange={(note) => set({ note })} />
      )}
      <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Fewer" : "More"}
      </Button>
    </>
  );
}

export function slowOptions(slow: number | undefined) {
  const isUsual = slow === undefined || SLOW_OPTIONS.some(({ value }) => value === String(slow));
  return isUsual ? SLOW_OPTIONS : [...SLOW_OPTIONS, { value: String(slow), label: `over ${formatMs(slow)}` }];
}

/** The address contains an absolute time, so a link always shows the same conversations. */
export function SinceFilter({
  search,
  onChange,
}: {
  search: Pick<ListSearch, "from">;
  onChange: (from: string | undefined) => void;
}) {
  const { from } = search;
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const options = SINCE.map(([label, ms]) => ({ value: new Date(minute - ms).toISOString(), label }));
  return (
    <Filter
      name="Since"
      options={from === undefined ? options : [...options, { value: from, label: formatDateTime(from) }]}
      value={from}
      onChange={onChange}
    />
  );
}

export const withValue = (values: readonly string[], value: string | undefined) =>
  [...new Set([...values, ...(value === undefined ? [] : [value])])].map((name) => ({ value: name, label: name }));
