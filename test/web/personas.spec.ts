import { SvcError } from "@svc/sdk";
import { describe, expect, test } from "vitest";
import {
  capabilityInWords,
  languageInWords,
  misfitOf,
  numberMisfitOf,
  selectionOf,
} from "../../packages/web/src/personas/capability.ts";
import { mergePersonas } from "../../packages/web/src/personas/merge-personas.ts";
import {
  changedPersonaFields,
  mannerInWords,
  personaChangeOf,
  personaErrorsOf,
  personaLines,
} from "../../packages/web/src/personas/persona-content.ts";
import { inPageOrder } from "../../packages/web/src/personas/queries.ts";

const tts = { provider: "openai", model: "gpt-4o-mini-tts" };
const stt = { provider: "deepgram", model: "nova-3" };
const base = {
  name: "Regular",
  traits: { personality: "Calm.", pace: "slow" },
  models: { tts, voiceId: "ash" },
} as const;

test("the default persona comes first, then the project's own, then the shipped ones by name", () => {
  const personas = [
    { name: "zed", source: "own", isDefault: false },
    { name: "eve", source: "own", isDefault: false },
    { name: "silent", source: "shipped", isDefault: false },
    { name: "angry", source: "shipped", isDefault: false },
    { name: "calm", source: "shipped", isDefault: true },
  ] as const;
  expect(inPageOrder(personas).map(({ name }) => name)).toEqual(["calm", "zed", "eve", "angry", "silent"]);
});

describe("an edit of a persona", () => {
  test("an edit of a persona sends traits and models whole when one of them changed", () => {
    expect(changedPersonaFields(base, { ...base, traits: { ...base.traits, patience: "low" } })).toEqual({
      traits: { personality: "Calm.", pace: "slow", patience: "low" },
    });
    expect(changedPersonaFields(base, { ...base, traits: { ...base.traits, personality: " Calm. " } })).toBeUndefined();
  });

  test("an edit of a persona makes no version when only the name changes", () => {
    expect(personaChangeOf(base, { ...base, name: "Other" })).toEqual({ isChanged: true, makesVersion: false });
  });
});

describe("a merge of two edits of one persona", () => {
  test("a merge of two edits of one persona takes each trait that one side changed, and asks about the others", () => {
    const mine = { ...base, traits: { personality: "Mine.", pace: "fast" } } as const;
    const theirs = { ...base, traits: { personality: "Theirs.", pace: "slow", patience: "low" } } as const;
    const merge = mergePersonas(base, mine, theirs);
    expect(merge.conflicts.map(({ label }) => label)).toEqual(["Character"]);
    expect(merge.result({}).traits).toEqual({ personality: "Mine.", pace: "fast", patience: "low" });
    expect(merge.result({ "traits.personality": "theirs" }).traits.personality).toBe("Theirs.");
    expect(merge.result({}).models).toEqual(base.models);
  });

  test("a merge of two edits of one persona keeps a voice with its model", () => {
    const mine = { ...base, models: { tts, voiceId: "coral" } };
    const theirs = { ...base, models: { tts: { ...tts, model: "tts-1" }, voiceId: "ash" } };
    const merge = mergePersonas(base, mine, theirs);
    expect(merge.conflicts.map(({ label }) => label)).toEqual(["Voice"]);
    expect(merge.result({ "models.tts": "theirs" }).models).toEqual(theirs.models);
  });
});

describe("a capability", () => {
  test("a capability is a few words", () => {
    expect(capabilityInWords({ status: "supported", choices: ["a", "b"] })).toBe("2 choices");
    expect(capabilityInWords({ status: "supported", range: { minimum: 0.25, maximum: 4, step: 0.05 } })).toBe(
      "0.25 to 4",
    );
    expect(capabilityInWords({ status: "fixed", value: "voice_default", reason: "" })).toBe("fixed: the voice's own");
    expect(capabilityInWords({ status: "unknown", reason: "" })).toBe("unknown");
  });

  test("the form of a persona says why its models do not support a stored value", () => {
    expect(misfitOf({ status: "supported", choices: ["happy"] }, "angry")).toBe("“angry” is not one of the choices.");
    expect(misfitOf({ status: "fixed", value: "neutral", reason: "No instructions." }, "angry")).toBe(
      "No instructions.",
    );
    expect(misfitOf({ status: "unknown", reason: "Unpublished." }, "angry")).toBeUndefined();
    expect(misfitOf({ status: "fixed", value: "neutral" }, undefined)).toBeUndefined();
  });

  test("a capability allows the numbers of its steps", () => {
    const speed = { status: "supported", range: { minimum: 0.25, maximum: 4, step: 0.25 } } as const;
    expect(numberMisfitOf(speed, 1.25)).toBeUndefined();
    expect(numberMisfitOf(speed, 1.3)).toBe("1.3 is not among 0.25 to 4 in steps of 0.25.");
    expect(numberMisfitOf({ status: "fixed", value: 1, reason: "No speed." }, 2)).toBe("No speed.");
  });

  test("a capability names languages", () => {
    expect(languageInWords("pt-BR")).toBe("Brazilian Portuguese (pt-BR)");
    expect(languageInWords("not a tag")).toBe("not a tag");
  });
});

test("capabilities are asked for with a synthesis model, without a language that is no tag", () => {
  expect(selectionOf({}, { stt })).toBeUndefined();
  expect(selectionOf({}, { tts })).toEqual({ tts });
  expect(selectionOf({ language: "en-" }, { tts, stt, voiceId: "ash" })).toEqual({ tts, stt, voiceId: "ash" });
  expect(selectionOf({ language: "en" }, { tts, stt })).toEqual({ tts, stt, language: "en" });
});

test("a persona is a line for each member that has a value", () => {
  expect(personaLines(base)).toEqual([
    "Character: Calm.",
    "Pace: slow",
    "Speaks with: openai / gpt-4o-mini-tts",
    "Voice: ash",
  ]);
});

test("the manner of a persona names only what is not ordinary", () => {
  expect(
    mannerInWords({ pace: "fast", patience: "low", interruptionStyle: "sometimes", confirmationStyle: "brief" }),
  ).toBe("fast, low patience, interrupts sometimes");
  expect(mannerInWords({ pace: "normal", emotion: "neutral" })).toBe("ordinary");
});

test("the service's words about a persona are beside their fields", () => {
  const details = { issues: [{ path: "traits.language", message: "Send a BCP 47 language tag." }] };
  const error = new SvcError({ code: "unprocessable", status: 422, message: "Change it.", details });
  expect(personaErrorsOf(error)).toEqual({ language: "Send a BCP 47 language tag." });
  expect(personaErrorsOf(new SvcError({ code: "name_taken", status: 409, message: "Taken." }))).toEqual({
    name: "Taken.",
  });
});
