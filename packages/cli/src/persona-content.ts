import { Flags } from "@oclif/core";
import type { Answer, Input, Operations } from "@svc/contract";
import { contentOf, jsonFile } from "./input.ts";
import { facts, oneLine } from "./output.ts";
import { usage } from "./refusal.ts";

export type Persona = Answer<Operations["personas"]["get"]>["persona"];
type Content = Pick<Persona, "traits" | "models">;
type NewPersona = Input<Operations["personas"]["create"]>;

/** Each option of a persona's content: where it goes, how its text is read, and what it means. */
const OPTIONS: Record<string, { goes: readonly [keyof Content, string]; read?: Read; value: string; what: string }> = {
  personality: {
    goes: ["traits", "personality"],
    read: contentOf,
    value: "text",
    what: "Who calls and how they behave: text, @file, or - for standard input.",
  },
  language: { goes: ["traits", "language"], value: "tag", what: "BCP-47 tag, such as en or pt-BR." },
  accent: { goes: ["traits", "accent"], value: "accent", what: "One that the synthesis model takes." },
  emotion: { goes: ["traits", "emotion"], value: "emotion", what: "One that the synthesis model takes." },
  pace: { goes: ["traits", "pace"], value: "pace", what: "slow, normal or fast." },
  noise: {
    goes: ["traits", "backgroundNoise"],
    read: noiseOf,
    value: "kind[:level]",
    what: "home, office, cafe, crowd, street, car, wind or line; low, medium or high.",
  },
  interruptions: { goes: ["traits", "interruptionStyle"], value: "how often", what: "never, sometimes or often." },
  patience: { goes: ["traits", "patience"], value: "patience", what: "low, medium or high." },
  confirmation: { goes: ["traits", "confirmationStyle"], value: "style", what: "brief, repeats, spells or vague." },
  disfluency: { goes: ["traits", "disfluency"], value: "amount", what: "none, some or much." },
  llm: { goes: ["models", "llm"], value: "model", what: "Model that decides what the caller says." },
  stt: { goes: ["models", "stt"], read: modelOf, value: "provider/model", what: "Speech recognition." },
  tts: { goes: ["models", "tts"], read: modelOf, value: "provider/model", what: "Speech synthesis." },
  voice: { goes: ["models", "voiceId"], value: "id", what: "Voice of the synthesis provider." },
  speed: { goes: ["models", "speed"], read: numberOf, value: "multiple", what: "Speaking rate; 1 is normal." },
  volume: { goes: ["models", "volume"], read: numberOf, value: "multiple", what: "Speech volume; 1 is normal." },
};

type Read = (text: string) => unknown;
type Given = Record<string, unknown>;

export const contentFlags = () => ({
  from: Flags.string({
    description: "JSON file with {name, traits, models}, as `personas show --json` prints it, or - for standard input.",
    helpValue: "<file>",
  }),
  ...Object.fromEntries(
    Object.entries(OPTIONS).map(([flag, { what, value }]) => [
      flag,
      Flags.string({ description: what, helpValue: `<${value}>` }),
    ]),
  ),
});

export const unsetFlag = () =>
  Flags.string({
    description: "Take this option's value away; give it once for each.",
    options: Object.keys(OPTIONS),
    multiple: true,
    multipleNonGreedy: true,
  });

/** The content that the options leave of `before`: the file's in its place, then each option's, without what is unset. */
export async function contentGiven(flags: Given, before: Content): Promise<Content & { name?: string }> {
  const file = flags.from === undefined ? {} : await fileOf(flags.from as string);
  const content: Record<keyof Content, Given> = {
    traits: { ...(file.traits ?? before.traits) },
    models: { ...(file.models ?? before.models) },
  };
  for (const [flag, { goes, read = (text: string) => text }] of Object.entries(OPTIONS)) {
    const [group, member] = goes;
    if (flags[flag] !== undefined) content[group][member] = await read(flags[flag] as string);
    if ((flags.unset as string[] | undefined)?.includes(flag)) delete content[group][member];
  }
  return { ...(content as Content), ...(file.name !== undefined && { name: file.name }) };
}

/** Whether any option of the content is there. */
export const givesContent = (flags: Given): boolean =>
  ["from", "unset", ...Object.keys(OPTIONS)].some((flag) => flags[flag] !== undefined);

async function fileOf(path: string): Promise<Partial<NewPersona>> {
  const value = await jsonFile(path);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw usage(`${path} holds no persona: it takes {"name": "…", "traits": {…}, "models": {…}}.`);
  }
  return value;
}

function noiseOf(text: string) {
  const [kind, level] = text.split(":");
  return { kind, ...(level !== undefined && { level }) };
}

function modelOf(text: string) {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  if (provider === undefined) throw usage(`"${text}" is no model: write provider/model, such as openai/tts-1.`);
  return { provider, model };
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw usage(`"${text}" is no number: write one such as 1.2.`);
  return number;
}

/** A persona's or a version's content, to be read. */
export function contentText({ traits, models }: Content): string {
  const { backgroundNoise: noise } = traits;
  const model = (named: Content["models"]["tts"]) => named && `${named.provider}/${named.model}`;
  return facts([
    ["Personality", traits.personality ?? "nobody in particular"],
    ["Language", traits.language ?? "the scenario's"],
    ["Accent", traits.accent],
    ["Emotion", traits.emotion],
    ["Pace", traits.pace],
    ["Background noise", noise && `${noise.kind}${noise.level === undefined ? "" : `, ${noise.level}`}`],
    ["Interrupts", traits.interruptionStyle],
    ["Patience", traits.patience],
    ["Confirms", traits.confirmationStyle],
    ["Disfluency", traits.disfluency],
    ["LLM", models.llm],
    ["Recognition", model(models.stt)],
    ["Synthesis", model(models.tts)],
    ["Voice", models.voiceId],
    ["Speed", models.speed?.toString()],
    ["Volume", models.volume?.toString()],
  ]);
}

export const contentSummary = ({ traits: { personality, ...others } }: Content): string =>
  oneLine(personality ?? Object.keys(others).join(", "));

export const versionText = ({ name, id, version, versionId }: Persona): string =>
  `"${name}" (${id}) at version ${version} (${versionId}).`;
