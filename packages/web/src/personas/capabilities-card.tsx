import { useQuery } from "@tanstack/react-query";
import { Check, CircleHelp, Lock, X } from "lucide-react";
import { usePlace } from "../frame/place.ts";
import { Card } from "../ui/card.tsx";
import { type Capabilities, capabilityInWords } from "./capability.ts";
import type { Models, Traits } from "./persona-content.ts";
import { capabilitiesQuery } from "./queries.ts";
import styles from "./side-parts.module.css";
import { selectionOf } from "./speech-selection.ts";

const ROWS: [member: keyof Capabilities, label: string][] = [
  ["voices", "Voices"],
  ["language", "Language"],
  ["accent", "Accent"],
  ["emotion", "Emotion"],
  ["speed", "Speed"],
  ["speechVolume", "Volume"],
];
const ICONS = { supported: Check, fixed: Lock, unsupported: X, unknown: CircleHelp };

/** The options of the chosen speech models at a glance. */
export function CapabilitiesCard({ traits, models }: { traits: Traits; models: Models }) {
  const selection = selectionOf(traits, models);
  const { data } = useQuery(capabilitiesQuery(usePlace(), selection));
  if (selection === undefined || data === undefined) return null;
  return (
    <Card title={`What ${selection.tts.model} can do`}>
      <dl className={styles["members"]}>
        {ROWS.map(([member, label]) => {
          const { status, reason } = data[member];
          const Icon = ICONS[status];
          return (
            <div key={member}>
              <dt>{label}</dt>
              <dd className={styles[status]} title={reason}>
                <Icon size={14} aria-hidden />
                {capabilityInWords(data[member])}
              </dd>
            </div>
          );
        })}
      </dl>
    </Card>
  );
}
