import { type AnyCapability, type Capabilities, languageInWords, valueInWords } from "./capability.ts";
import { NumberControl, TextControl } from "./capability-control.tsx";
import { FormRow } from "./form-row.tsx";
import type { SpeechRowsProps } from "./speech-rows-props.ts";
import { VoiceControl } from "./voice-control.tsx";

/** Rows whose choices the speech models define. */
export function CapabilityRows({
  traits,
  models,
  setTraits,
  setModels,
  capabilities,
}: SpeechRowsProps & { capabilities: Capabilities }) {
  const { voices, language, accent, emotion, speed, speechVolume } = capabilities;
  const noteOf = (capability: AnyCapability, noun: string) =>
    capability.status === "supported" && (capability.choices?.length ?? 0) > 1
      ? `${capability.choices?.length} ${noun}`
      : undefined;
  return (
    <>
      <FormRow label="Voice" note={noteOf(voices, "voices")}>
        <VoiceControl
          voices={voices}
          value={models.voiceId}
          onChange={setModels && ((voiceId) => setModels({ voiceId }))}
        />
      </FormRow>
      <FormRow label="Language" note={noteOf(language, "to choose from")}>
        <TextControl
          label="Language"
          capability={language}
          value={traits.language}
          words={languageInWords}
          standard="The language of the scenario"
          onChange={setTraits && ((tag) => setTraits({ language: tag }))}
        />
      </FormRow>
      <FormRow label="Accent">
        <TextControl
          label="Accent"
          capability={accent}
          value={traits.accent}
          words={valueInWords}
          standard="The voice's own"
          onChange={setTraits && ((value) => setTraits({ accent: value }))}
        />
      </FormRow>
      <FormRow label="Emotion">
        <TextControl
          label="Emotion"
          capability={emotion}
          value={traits.emotion}
          words={valueInWords}
          standard="neutral"
          onChange={setTraits && ((value) => setTraits({ emotion: value }))}
        />
      </FormRow>
      <FormRow label="Speed">
        <NumberControl
          label="Speed"
          capability={speed}
          value={models.speed}
          onChange={setModels && ((value) => setModels({ speed: value }))}
        />
      </FormRow>
      <FormRow label="Volume">
        <NumberControl
          label="Volume"
          capability={speechVolume}
          value={models.volume}
          onChange={setModels && ((value) => setModels({ volume: value }))}
        />
      </FormRow>
    </>
  );
}
