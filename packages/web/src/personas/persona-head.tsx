import { RecordHead } from "../editing/record-head.tsx";
import { Chip } from "../ui/chip.tsx";
import { Notice } from "../ui/notice.tsx";
import type { Persona } from "./queries.ts";

type PersonaHeadProps = { persona: Persona; version: number; isChanged: boolean; isStale: boolean };

/** The version of a persona, where it comes from, and whether edits are not saved. */
export function PersonaHead({ persona, version, isChanged, isStale }: PersonaHeadProps) {
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
      {persona.source === "shipped" && (
        <Notice>This persona ships with the service and does not change. Copy it to make your own.</Notice>
      )}
      {persona.archived && (
        <Notice>This persona is archived. New tests cannot name it. Tests that name it already keep it.</Notice>
      )}
    </>
  );
}
