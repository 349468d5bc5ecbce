import type { CapabilityVoice, PersonaCapabilities, TextCapability } from "@svc/contract";
import { facts, paint, table } from "./output.ts";

type Member = PersonaCapabilities[keyof PersonaCapabilities];
type Simple = TextCapability | PersonaCapabilities["speed"];

/** What a pair supports, member by member, and its voices as a table of at most so many. */
export function capabilityText({ voices, ...members }: PersonaCapabilities, limit: number): string {
  const text = facts([
    ["Language", memberText(members.language)],
    ["Accent", memberText(members.accent)],
    ["Emotion", memberText(members.emotion)],
    ["Speed", memberText(members.speed)],
    ["Volume", memberText(members.speechVolume)],
    ["Voices", [statusText(voices), chosenVoice(voices.value), voices.reason].filter(Boolean).join("\n")],
  ]);
  const shown = voices.choices?.slice(0, limit) ?? [];
  if (shown.length === 0) return text;
  const left = voices.choices!.length - shown.length;
  return `${text}\n\n${voiceTable(shown)}${left > 0 ? `\n\nThere are ${left} more: see them with --limit.` : ""}`;
}

const PAINTED = { supported: paint.green, fixed: paint.cyan, unsupported: paint.red, unknown: paint.yellow };

const statusText = ({ status }: Member): string => PAINTED[status](status);

function memberText(member: Simple): string {
  const { value, choices, range, reason } = member;
  const lines = [
    value === undefined ? statusText(member) : `${statusText(member)}  ${value}`,
    choices && `one of ${choices.join(", ")}`,
    range && `from ${range.minimum} to ${range.maximum} in steps of ${range.step}`,
    reason,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}

const chosenVoice = (voice: CapabilityVoice | undefined): string | undefined =>
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
