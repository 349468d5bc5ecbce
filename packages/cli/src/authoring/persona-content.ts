import { Flags } from "@oclif/core";
import type { Answer, Input, Operations } from "@svc/contract";
import { contentOf, jsonFile } from "../terminal/input.ts";
import { facts, oneLine } from "../terminal/output.ts";
import { usage } from "../refusal.ts";

type Persona = Answer<Operations["personas"]["get"]>["persona"];
type PersonaContent = Pick<Persona, "traits" | "models">;
type NewPersona = Input<Operations["personas"]["create"]>;

/**
 * Options by the name of the flag: the member of the persona's content that the flag sets, the parser of the flag's text, and the
 * help.
 */
const OPTIONS: Record<
  string,
  { sets: readonly [keyof PersonaContent, string]; read?: Read; value: string; help: string }
> = {
  personality: {
    sets: ["traits", "personality"],
    read: contentOf,
    value: "text",
    help: "Who the caller is and how the caller behaves: text, @file, or - for standard input.",
  },
  language: { sets: ["traits", "language"], value: "tag", help: "Language as a BCP 47 tag, such as en or pt-BR." },
  accent: { sets: ["traits", "accent"], value: "accent", help: "Accent that the text-to-speech model supports." },
  emotion: { sets: ["traits", "emotion"], value: "emotion", help: "Emotion that the text-to-speech model supports." },
  pace: { sets: ["traits", "pace"], value: "pace", help: "Pace of speech: slow, normal or fast." },
  noise: {
    sets: ["traits", "backgroundNoise"],
    read: parseNoise,
    value: "kind[:level]",
    help: "Background noise: home, office, cafe, crowd, street, car, wind or line. Level: low, medium or high.",
  },
  interruptions: {
    sets: ["traits", "interruptionStyle"],
    value: "frequency",
    help: "How often the caller interrupts: never, sometimes or often.",
  },
  patience: { sets: ["traits", "patience"], value: "patience", help: "Patience of the caller: low, medium or high." },
  confirmation: {
    sets: ["traits", "confirmationStyle"],
    value: "style",
    help: "How the caller confirms: brief, repeats, spells or vague.",
  },
  disfluency: {
    sets: ["traits", "disfluency"],
    value: "amount",
    help: "Hesitations in the speech: none, some or much.",
  },
  llm: { sets: ["models", "llm"], value: "model", help: "Language model that decides what the caller says." },
  stt: { sets: ["models", "stt"], read: parseModel, value: "provider/model", help: "Speech-to-text model." },
  tts: { sets: ["models", "tts"], read: parseModel, value: "provider/model", help: "Text-to-speech model." },
  voice: { sets: ["models", "voiceId"], value: "id", help: "Id of a voice of the text-to-speech provider." },
  speed: { sets: ["models", "speed"], read: parseNumber, value: "multiple", help: "Speaking rate. 1 is normal." },
  volume: { sets: ["models", "volume"], read: parseNumber, value: "multiple", help: "Speech volume. 1 is normal." },
};

type Read = (text: string) => unknown;
type FlagValues = Record<string, unknown>;

export const contentFlags = () => ({
  from: Flags.string({
    description:
      "JSON file with name, traits and models, as `svc personas show --json` prints it. Write - for standard input.",
    helpValue: "<file>",
  }),
  ...Object.fromEntries(
    Object.entries(OPTIONS).map(([flag, { help, value }]) => [
      flag,
      Flags.string({ description: help, helpValue: `<${value}>` }),
    ]),
  ),
});

export const unsetFlag = () =>
  Flags.string({
    description: "Remove the value of this option. Repeat the flag for several.",
    options: Object.keys(OPTIONS),
    multiple: true,
    multipleNonGreedy: true,
  });

/**
 * Returns the content of the file `--from`, or `before` without a file, with the values of the other options. Removes the values
 * that `--unset` names.
 */
export async function readContent(
  flags: FlagValues,
  before: PersonaContent,
): Promise<PersonaContent & { name?: string }> {
  const file = flags.from === undefined ? {} : await readPersonaFile(flags.from as string);
  const content: Record<keyof PersonaContent, FlagValues> = {
    traits: { ...(file.traits ?? before.traits) },
    models: { ...(file.models ?? before.models) },
  };
  for (const [flag, { sets, read = (text: string) => text }] of Object.entries(OPTIONS)) {
    const [group, member] = sets;
    if (flags[flag] !== undefined) content[group][member] = await read(flags[flag] as string);
    if ((flags.unset as string[] | undefined)?.includes(flag)) delete content[group][member];
  }
  return { ...(content as PersonaContent), ...(file.name !== undefined && { name: file.name }) };
}

export const changesContent = (flags: FlagValues): boolean =>
  ["from", "unset", ...Object.keys(OPTIONS)].some((flag) => flags[flag] !== undefined);

async function readPersonaFile(path: string): Promise<Partial<NewPersona>> {
  const value = await jsonFile(path);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw usage(`${path} does not hold a persona. Write {"name": "…", "traits": {…}, "models": {…}} into it.`);
  }
  return value;
}

function parseNoise(text: string) {
  const [kind, level] = text.split(":");
  return { kind, ...(level !== undefined && { level }) };
}

function parseModel(text: string) {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  if (provider === undefined) throw usage(`"${text}" is not a model. Write provider/model, such as openai/tts-1.`);
  return { provider, model };
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number))
    throw usage(`"${text}" is not a number. Write a number such as 1.2.`);
  return number;
}

export function contentText({ traits, models }: PersonaContent): string {
  const { backgroundNoise: noise } = traits;
  const modelText = (model: PersonaContent["models"]["tts"]) => model && `${model.provider}/${model.model}`;
  return facts([
    ["Personality", traits.personality ?? "not specified"],
    ["Language", traits.language ?? "the language of the scenario"],
    ["Accent", traits.accent],
    ["Emotion", traits.emotion],
    ["Pace", traits.pace],
    ["Background noise", noise && `${noise.kind}${noise.level === undefined ? "" : `, ${noise.level}`}`],
    ["Interruptions", traits.interruptionStyle],
    ["Patience", traits.patience],
    ["Confirmation", traits.confirmationStyle],
    ["Disfluency", traits.disfluency],
    ["Language model", models.llm],
    ["Speech-to-text", modelText(models.stt)],
    ["Text-to-speech", modelText(models.tts)],
    ["Voice", models.voiceId],
    ["Speed", models.speed?.toString()],
    ["Volume", models.volume?.toString()],
  ]);
}

export const contentSummary = ({ traits: { personality, ...others } }: PersonaContent): string =>
  oneLine(personality ?? Object.keys(others).join(", "));

export const versionText = ({ name, id, version, versionId }: Persona): string =>
  `"${name}" (${id}) at version ${version} (${versionId}).`;
