import { useQuery } from "@tanstack/react-query";
import { Check, CircleHelp, Lock, X } from "lucide-react";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { Select } from "../ui/field.tsx";
import { type Capabilities, capabilityInWords, selectionOf } from "./capability.ts";
import { type Models, modelText, type SpeechModelName, type Traits } from "./persona-content.ts";
import { capabilitiesQuery, speechModelsQuery, type SpeechSelection } from "./queries.ts";
import styles from "./side-parts.module.css";

const ROWS: [member: keyof Capabilities, label: string][] = [
  ["voices", "Voices"],
  ["language", "Language"],
  ["accent", "Accent"],
  ["emotion", "Emotion"],
  ["speed", "Speed"],
  ["speechVolume", "Volume"],
];
const ICONS = { supported: Check, fixed: Lock, unsupported: X, unknown: CircleHelp };

export function CapabilitiesCard({ traits, models }: { traits: Traits; models: Models }) {
  const { data: catalogue } = useQuery(speechModelsQuery(usePlace()));
  const [other, setOther] = useState<SpeechModelName>();
  const selection = selectionOf(traits, models);
  if (selection === undefined) return null;
  const others = catalogue?.textToSpeech.filter((model) => modelText(model) !== modelText(selection.tts)) ?? [];
  return (
    <>
      <Card title={`What ${selection.tts.model} can do`}>
        <Members selection={selection} />
      </Card>
      <Card>
        <Select
          label="With another model"
          value={other ? modelText(other) : ""}
          options={[
            { value: "", label: "Choose a model to compare" },
            ...others.map((model) => ({ value: modelText(model), label: modelText(model) })),
          ]}
          onChange={({ target }) => setOther(others.find((model) => modelText(model) === target.value))}
        />
        {other && <Members selection={{ tts: other, stt: selection.stt, language: selection.language }} />}
      </Card>
    </>
  );
}

function Members({ selection }: { selection: SpeechSelection }) {
  const { data } = useQuery(capabilitiesQuery(usePlace(), selection));
  if (data === undefined) return null;
  return (
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
  );
}
