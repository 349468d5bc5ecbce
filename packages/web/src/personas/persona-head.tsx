import { RecordHead } from "../editing/record-head.tsx";
import { usePlace } from "../frame/place.ts";
import { Chip } from "../ui/chip.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./persona.module.css";
import type { Persona } from "./persona-types.ts";

type PersonaHeadProps = { persona: Persona; version: number; isChanged: boolean; isStale: boolean };

/** The version of a persona, where it comes from, and whether edits are not saved. */
export function PersonaHead({ persona, version, isChanged, isStale }: PersonaHeadProps) {
  const about = aboutPersona(persona, usePlace().canWrite);
  return (
    <>
      <RecordHead
        name={persona.name}
        version={version}
        isChanged={isChanged}
        savedMeanwhile={isStale ? persona.version : undefined}
      >
        {persona.source === "shipped" && <Chip>shipped</Chip>}
        {persona.isDefault && <Chip tone="accent">the project's default</Chip>}
        {persona.archived && <Chip tone="warning">archived</Chip>}
      </RecordHead>
      {about !== undefined && (
        <div className={styles["about"]}>
          <Notice>{about}</Notice>
        </div>
      )}
    </>
  );
}

/** Says why a persona cannot be edited; undefined for one that can. */
function aboutPersona({ source, archived }: Persona, canWrite: boolean): string | undefined {
  if (source === "shipped")
    return `This persona ships with the service and does not change.${canWrite ? " Copy it to make your own." : ""}`;
  return archived
    ? "This persona is archived. New tests cannot name it. Tests that name it already keep it."
    : undefined;
}
