import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ListingProvider, SOURCES } from "../../packages/server/src/voice/voices/sources.ts";
import { PROVIDERS } from "../support/voice-providers.ts";

const ALL = Object.keys(SOURCES) as ListingProvider[];

test("each provider is asked at one address, over TLS", () => {
  expect(Object.fromEntries(ALL.map((provider) => [provider, SOURCES[provider].address("westeurope")]))).toEqual({
    cartesia: "https://api.cartesia.ai/",
    elevenlabs: "https://api.elevenlabs.io/",
    deepgram: "https://api.deepgram.com/",
    rime: "https://users.rime.ai/",
    minimax: "https://api.minimax.io/",
    inworld: "https://api.inworld.ai/",
    hume: "https://api.hume.ai/",
    lmnt: "https://api.lmnt.com/",
    azure: "https://westeurope.tts.speech.microsoft.com/",
    google: "https://texttospeech.googleapis.com/",
    polly: "https://polly.westeurope.amazonaws.com/",
  });
  expect([...ALL].sort()).toEqual([...PROVIDERS].sort());
});

describe.each(ALL)("%s", (provider) => {
  const source = SOURCES[provider];

  test("every request goes to the provider's address, whatever a cursor contains", () => {
    const cursors = fc.oneof(
      fc.string(),
      fc.constantFrom("//evil.test/x", "https://evil.test", "../../x", "\\\\evil", "?", "#"),
    );
    fc.assert(
      fc.property(cursors, (cursor) => {
        const at = new URL(source.address("westeurope"));
        const { path } = source.request(cursor || undefined);
        expect(new URL(path, at).origin).toBe(at.origin);
        expect(path).toBe(source.request(undefined).path);
      }),
    );
  });

  test("every JSON answer becomes a page or a refusal, and every row a voice within the limits or nothing", () => {
    const text = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: "binary" }), fc.constant("x".repeat(257)));
    const names = fc.constantFrom(
      ..."id voice_id voiceId canonical_name ShortName Id name Name displayName labels locales languages models".split(
        " ",
      ),
      ..."verified_languages fine_tuning StyleList SupportedEngines tags isStandard row source category gender".split(
        " ",
      ),
      "languageCodes",
    );
    const list = fc.oneof(
      fc.array(text, { maxLength: 4 }),
      fc.array(fc.constantFrom("en", "x".repeat(101), ""), { size: "+2" }),
    );
    const whole = Object.fromEntries([
      ...["id", "voice_id", "voiceId", "canonical_name", "ShortName", "Id", "name", "Name"].map((name) => [name, text]),
      ...["languages", "models", "StyleList", "SupportedEngines"].map((name) => [name, list]),
    ]) as Record<string, fc.Arbitrary<unknown>>;
    const row = fc.dictionary(names, fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.jsonValue()));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), row, fc.record(whole)), (anything) => {
        const json = JSON.parse(JSON.stringify(anything)) as unknown;
        try {
          source.readPage(json, undefined);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
        const voice = source.readVoice(json);
        if (voice === undefined) return;
        expect(voice.id).toMatch(/^\P{C}{1,256}$/u);
        expect(voice.name).toMatch(/^\P{C}{1,200}$/u);
        for (const list of [voice.languages, voice.accents, voice.models ?? [], voice.emotions ?? []]) {
          expect(list.length).toBeLessThanOrEqual(150);
          for (const item of list) expect(item).toMatch(/^.{1,100}$/su);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ["", "f5ea430c06ac6084ce7306e58c085d51524394187af709f751ee42a7bf64905e"],
  ["?NextToken=%20%2B~", "3b4c4c0699e3ea1be00072bfb446194d66d9a53b3de9a9d7b2c4051a414bd33d"],
])("a request to Amazon with the query %j is signed with its time and address", async (query, signature) => {
  const credential = { apiKey: "AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1" };
  const url = new URL(`v1/voices${query}`, SOURCES.polly.address("us-east-1"));
  expect(await SOURCES.polly.headers(credential, url, Date.parse("2015-08-30T12:36:00Z"))).toEqual({
    "x-amz-date": "20150830T123600Z",
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/polly/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});
