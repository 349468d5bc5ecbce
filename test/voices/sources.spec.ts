import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signedHeaders } from "../../packages/server/src/voices/sign-aws.ts";
import { type ListingProvider, SOURCES } from "../../packages/server/src/voices/sources.ts";
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

/** Examples that Amazon publishes with Signature Version 4. */
test.each([
  ["get-vanilla", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  [
    "get-vanilla-query-order-key-case",
    "?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
])("a request to Amazon has the signature of the published example %s", (_, query, signature) => {
  const key = {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    service: "service",
  };
  const url = new URL(`https://example.amazonaws.com/${query}`);
  expect(signedHeaders(url, key, Date.parse("2015-08-30T12:36:00Z"))).toEqual({
    "x-amz-date": "20150830T123600Z",
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});
