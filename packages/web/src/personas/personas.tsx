import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus, Users } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { SearchField } from "../ui/field.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { mannerInWords, type Persona } from "./persona-content.ts";
import styles from "./personas.module.css";
import { personasQuery } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/personas");

const COLUMNS = [
  { head: "Persona", width: "22%" },
  { head: "Manner" },
  { head: "Voice", wideOnly: true },
  { head: "Version", numeric: true, wideOnly: true },
  { head: "" },
];

export function Personas() {
  const place = usePlace();
  const { archived = false, search } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(personasQuery(place, archived));
  const setSearch = (text: string) =>
    void navigate({ search: (old) => ({ ...old, search: text || undefined }), replace: true });
  const found = data?.filter(({ name }) => name.toLowerCase().includes((search ?? "").toLowerCase()));
  return (
    <Page
      title="Personas"
      actions={
        place.canWrite && (
          <Link
            to="/o/$organizationId/p/$project/personas/new"
            params={place.params}
            className={buttonClass("primary")}
          >
            <Plus size={16} aria-hidden />
            New persona
          </Link>
        )
      }
    >
      <div className={styles["filters"]}>
        <SearchField label="Search personas" value={search ?? ""} onChange={setSearch} />
        <Segmented
          label="Which personas"
          value={archived ? "archived" : "live"}
          options={[
            { value: "live", label: "Live" },
            { value: "archived", label: "Archived" },
          ]}
          onChange={(value) =>
            void navigate({ search: (old) => ({ ...old, archived: value === "archived" ? true : undefined }) })
          }
        />
      </div>
      {found === undefined ? (
        error ? (
          <Failure error={error} again={refetch} />
        ) : (
          <Skeleton />
        )
      ) : found.length > 0 ? (
        <Table label="Personas" columns={COLUMNS} stacked>
          {found.map((persona) => (
            <PersonaRow key={persona.id} persona={persona} />
          ))}
        </Table>
      ) : search !== undefined ? (
        <EmptyByFilter filters={[`name with “${search}”`]} onClear={() => setSearch("")} />
      ) : (
        <Empty icon={Users} title={archived ? "No persona is archived" : "No personas"}>
          <p>Archive a persona that new tests should not name. The tests that name it keep it.</p>
        </Empty>
      )}
    </Page>
  );
}

function PersonaRow({ persona }: { persona: Persona }) {
  const { params } = usePlace();
  const { id, name, source, isDefault, version, traits, models } = persona;
  return (
    <tr>
      <td className={tables["name"]}>
        <Link to="/o/$organizationId/p/$project/personas/$personaId" params={{ ...params, personaId: id }}>
          <bdi>{name}</bdi>
        </Link>
      </td>
      <td className={styles["manner"]} title={traits.personality}>
        {mannerInWords(traits)}
      </td>
      <td className={`${tables["wideOnly"]} ${tables["faint"]}`}>
        {models.tts === undefined ? "a built-in voice" : [models.tts.model, models.voiceId].filter(Boolean).join(", ")}
      </td>
      <td className={`${tables["num"]} ${tables["wideOnly"]}`}>v{version}</td>
      <td className={styles["marks"]}>
        <span className={styles["chips"]}>
          {isDefault && <Chip tone="accent">default</Chip>}
          {source === "shipped" && <Chip tone="plain">shipped</Chip>}
        </span>
      </td>
    </tr>
  );
}
