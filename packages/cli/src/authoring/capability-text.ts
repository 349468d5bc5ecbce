import type { CapabilityVoice, PersonaCapabilities, TextCapability } from "@svc/contract";
import { facts, paint, table } from "../terminal/output.ts";

type Capability = PersonaCapabilities[keyof PersonaCapabilities];
type ValueCapability = TextCapability | PersonaCapabilities["speed"];

/** The table lists at most `limit` voices. */
export function capabilityText({ voices, ...members }: PersonaCapabilities, limit: number): string {
  const text = facts([
    ["Language", valueText(members.language)],
    ["Accent", valueText(members.accent)],
    ["Emotion", valueText(members.emotion)],
    ["Speed", valueText(members.speed)],
    ["Volume", valueText(members.speechVolume)],
    ["Voices", [statusText(voices), selectedVoice(voices.value), voices.reason].filter(Boolean).join("\n")],
  ]);
  const shown = voices.choices?.slice(0, limit) ?? [];
  if (shown.length === 0) return text;
  const more = voices.choices!.length - shown.length;
  return `${text}\n\n${voiceTable(shown)}${more > 0 ? `\n\nThere are ${more} more. Set --limit to see them.` : ""}`;
}

const PAINTED = { supported: paint.green, fixed: paint.cyan, unsupported: paint.red, unknown: paint.yellow };

const statusText = ({ status }: Capability): string => PAINTED[status](status);

function valueText(capability: ValueCapability): string {
  const { value, choices, range, reason } = capability;
  const lines = [
    value === undefined ? statusText(capability) : `${statusText(capability)}  ${value}`,
    choices && `one of ${choices.join(", ")}`,
    range && `from ${range.minimum} to ${range.maximum} in steps of ${range.step}`,
    reason,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}

const selectedVoice = (voice: CapabilityVoice | undefined): string | undefined =>
  voice && (voice.name === voice.id ? voice.id : `${voice.name} (${voice.id})`);

const voiceTable = (voices: CapabilityVoice[]): string =>
  table(
    voices,
    [
      { title: "voice", cell: ({ id }) => id },
      { title: "name", cell: ({ name }) => name, cut: true, spare: 1 },
      { title: "source", cell: ({ source }) => source, spare: 2 },
      { title: "presentation", cell: ({ presentation }) => (presentation === "unknown" ? "" : presentation), spare: 3 },
      { title: "languages", cell: ({ languages }) => languages.join(", "), cut: true },
      { title: "accents", cell: ({ accents }) => accents.join(", ") },
    ],
    "",
  );
