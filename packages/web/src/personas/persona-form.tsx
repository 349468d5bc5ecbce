import { inputClass } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { FormRow, FormRows } from "./form-row.tsx";
import { MannerRows } from "./manner-rows.tsx";
import type { PersonaContent, PersonaErrors, SetModels, SetTraits } from "./persona-content.ts";
import { SpeechRows } from "./speech-rows.tsx";

type PersonaFormProps = {
  content: PersonaContent;
  errors: PersonaErrors;
  /** Undefined if the person may not edit the persona. */
  onChange: ((content: PersonaContent) => void) | undefined;
};

export function PersonaForm({ content, errors, onChange }: PersonaFormProps) {
  const { name, traits, models } = content;
  const setTraits: SetTraits = onChange && ((next) => onChange({ ...content, traits: merged(traits, next) }));
  const setModels: SetModels = onChange && ((next) => onChange({ ...content, models: merged(models, next) }));
  const isReadOnly = onChange === undefined;
  return (
    <FormRows>
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      <FormRow label="Name">
        <input
          className={inputClass}
          aria-label="Name"
          aria-invalid={errors.name !== undefined || undefined}
          value={name}
          readOnly={isReadOnly}
          onChange={({ target }) => onChange?.({ ...content, name: target.value })}
        />
        {errors.name !== undefined && <Notice kind="failed">{errors.name}</Notice>}
      </FormRow>
      <FormRow label="Character" note="How the caller is and behaves">
        <textarea
          className={inputClass}
          aria-label="Character"
          rows={3}
          placeholder="An ordinary caller"
          value={traits.personality ?? ""}
          readOnly={isReadOnly}
          onChange={({ target }) => setTraits?.({ personality: target.value || undefined })}
        />
        {errors.personality !== undefined && <Notice kind="failed">{errors.personality}</Notice>}
      </FormRow>
      <MannerRows traits={traits} onChange={setTraits} />
      <SpeechRows traits={traits} models={models} errors={errors} setTraits={setTraits} setModels={setModels} />
    </FormRows>
  );
}

function merged<T extends object>(members: T, changes: { [K in keyof T]?: T[K] | undefined }): T {
  const next = { ...members, ...changes };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as T;
}
