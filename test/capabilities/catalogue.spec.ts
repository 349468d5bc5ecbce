import { describe, expect, test } from "vitest";
import { catalogue, RECOGNIZERS, SPEAKERS } from "../support/speech-pairs.ts";
import sources from "../../packages/server/src/voice/capabilities/catalogue/sources.json" with { type: "json" };
import languages from "../../packages/server/src/voice/capabilities/catalogue/languages.json" with { type: "json" };
import voices from "../../packages/server/src/voice/capabilities/catalogue/voices.json" with { type: "json" };
import delivery from "../../packages/server/src/voice/capabilities/catalogue/delivery.json" with { type: "json" };
import textToSpeech from "../../packages/server/src/voice/capabilities/catalogue/text-to-speech.json" with { type: "json" };
import speechToText from "../../packages/server/src/voice/capabilities/catalogue/speech-to-text.json" with { type: "json" };

type Fact = Record<string, unknown>;

/** Returns every object in a file, at any depth. */
const factsIn = (value: unknown): Fact[] =>
  value === null || typeof value !== "object" ? [] : [value as Fact, ...Object.values(value).flatMap(factsIn)];

const models = [...factsIn(textToSpeech), ...factsIn(speechToText)];
const textsOf = (member: string): string[] =>
  models.map((fact) => fact[member]).filter((value) => typeof value === "string");

describe("the catalogue of speech models", () => {
  test("the catalogue has 66 text-to-speech and 47 speech-to-text models", () => {
    expect([SPEAKERS.length, RECOGNIZERS.length]).toEqual([66, 47]);
  });

  test("the catalogue has the date of its facts", () => {
    expect(catalogue.version).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  test("each fact cites a source in the list of sources", () => {
    const cited = models.flatMap(({ sources }) => (Array.isArray(sources) ? (sources as string[]) : []));
    expect(cited.length).toBeGreaterThan(60);
    expect(cited.filter((key) => !(key in sources.sources))).toEqual([]);
    expect(Object.keys(sources.sources)).toContain(delivery.styles.source);
  });

  test("each list of languages and each list of voices is used by a model", () => {
    expect(Object.keys(languages).filter((list) => !textsOf("list").includes(list))).toEqual([]);
    const named = [...textsOf("list"), ...textsOf("known")];
    expect(Object.keys(voices).filter((list) => !named.includes(list))).toEqual([]);
  });

  test("each unverified language has a reason", () => {
    const doubts = models.filter(({ unverified }) => unverified !== undefined);
    expect(doubts.length).toBeGreaterThan(5);
    expect(doubts.filter(({ reason }) => typeof reason !== "string")).toEqual([]);
  });

  test("each alias belongs to one provider, and each name has one meaning", () => {
    expect(catalogue.textToSpeech.get("11labs")).toBe(catalogue.textToSpeech.get("elevenlabs"));
    expect(catalogue.textToSpeech.get("aws")).toBe(catalogue.textToSpeech.get("polly"));
    const names = Object.entries(textToSpeech).flatMap(([id, provider]) => [
      id,
      ...("aliases" in provider ? provider.aliases : []),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("at least one voice has a style for each canonical emotion", () => {
    const styles = new Set([...catalogue.stylesOfVoice.values()].flat());
    for (const [emotion, means] of catalogue.styleMeans) {
      expect(catalogue.canonicalEmotions).toContain(emotion);
      expect(
        means.some((style) => styles.has(style)),
        emotion,
      ).toBe(true);
    }
  });

  test("each voice appears once, and its languages are languages of its model", () => {
    for (const { provider, model } of SPEAKERS) {
      const speaker = catalogue.textToSpeech.get(provider)!.models.get(model)!;
      const ids = speaker.voices.known.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      if (!speaker.perVoice || !speaker.languages) continue;
      const bases = speaker.languages.possible.bases;
      const strange = speaker.voices.known.flatMap((voice) =>
        voice.languages.filter((tag) => !bases.has(tag.split("-")[0]!)),
      );
      expect(strange, `${provider}/${model}`).toEqual([]);
    }
  });
});
