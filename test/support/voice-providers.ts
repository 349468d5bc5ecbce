import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { answerJson, openFakeService, type Received } from "./fake-service.ts";

type FakeVoice = { id: string; name: string; own?: boolean };
export type Provider = keyof typeof SHAPES;

/** The parts of a request to a provider. */
type Shape = {
  path: string;
  /** The key in a request. */
  keyOf: (headers: IncomingHttpHeaders) => unknown;
  /** The number of the requested page; undefined when one page has all voices. */
  pageOf?: (query: URLSearchParams) => number;
  body: (voices: FakeVoice[], paging: { page: number; pages: number }) => unknown;
};

const cursorAt = (query: URLSearchParams, name: string) => Number(/\d+$/.exec(query.get(name) ?? "")?.[0] ?? 0);
const next = ({ page, pages }: { page: number; pages: number }) => (page + 1 < pages ? `after-${page + 1}` : undefined);

/** The lists of voices of eleven providers, each in the provider's form. */
const SHAPES = {
  cartesia: {
    path: "/voices",
    keyOf: (headers) => headers["cartesia-version"] && headers.authorization?.replace("Bearer ", ""),
    pageOf: (query) => cursorAt(query, "starting_after"),
    body: (voices, paging) => ({
      has_more: next(paging) !== undefined,
      data: voices.map(({ id, name, own }, at) => ({
        id: next(paging) && at === voices.length - 1 ? `${id}-${paging.page + 1}` : id,
        name,
        is_owner: own === true,
        access: own ? "private" : "public",
        gender: "feminine",
        locales: [{ locale: "en-US", is_native: true }],
        accent: "american",
      })),
    }),
  },
  elevenlabs: {
    path: "/v2/voices",
    keyOf: (headers) => headers["xi-api-key"],
    pageOf: (query) => cursorAt(query, "next_page_token"),
    body: (voices, paging) => ({
      has_more: next(paging) !== undefined,
      next_page_token: next(paging) ?? null,
      voices: voices.map(({ id, name, own }) => ({
        voice_id: id,
        name,
        category: own ? "cloned" : "premade",
        labels: { gender: "female", accent: "american" },
        verified_languages: [{ language: "en", locale: "en-US", model_id: "eleven_v3", accent: "american" }],
      })),
    }),
  },
  deepgram: {
    path: "/v1/models",
    keyOf: (headers) => headers.authorization?.replace("Token ", ""),
    body: (voices) => ({
      stt: [],
      tts: voices.map(({ id, name }) => ({
        name,
        canonical_name: id,
        architecture: "aura-2",
        languages: ["en", "en-US"],
        metadata: { accent: "American", tags: ["feminine", "calm"], display_name: name },
      })),
    }),
  },
  rime: {
    path: "/data/voices/all-v2.json",
    keyOf: () => "public",
    body: (voices) => ({ coda: { eng: voices.map(({ id }) => id) }, mistv3: { spa: voices.map(({ id }) => id) } }),
  },
  minimax: {
    path: "/v1/get_voice",
    keyOf: (headers) => headers.authorization?.replace("Bearer ", ""),
    body: (voices) => ({
      base_resp: { status_code: 0, status_msg: "success" },
      system_voice: voices.filter(({ own }) => !own).map(({ id, name }) => ({ voice_id: id, voice_name: name })),
      voice_cloning: voices.filter(({ own }) => own).map(({ id, name }) => ({ voice_id: id, voice_name: name })),
      voice_generation: null,
    }),
  },
  inworld: {
    path: "/voices/v1/voices",
    keyOf: (headers) => headers.authorization?.replace("Basic ", ""),
    pageOf: (query) => cursorAt(query, "pageToken"),
    body: (voices, paging) => ({
      nextPageToken: next(paging) ?? "",
      voices: voices.map(({ id, name, own }) => ({
        voiceId: id,
        displayName: name,
        langCode: "EN_US",
        tags: ["female"],
        source: own ? "IVC" : "SYSTEM",
      })),
    }),
  },
  hume: {
    path: "/v0/tts/voices",
    keyOf: (headers) => headers["x-hume-api-key"],
    pageOf: (query) => Number(query.get("page_number")),
    body: (voices, { page, pages }) => ({
      page_number: page,
      total_pages: pages,
      voices_page: voices.map(({ id, name, own }) => ({
        id,
        name,
        provider: own ? "CUSTOM_VOICE" : "HUME_AI",
        compatible_octave_models: ["1", "2"],
      })),
    }),
  },
  lmnt: {
    path: "/v1/ai/voice/list",
    keyOf: (headers) => headers["x-api-key"],
    body: (voices) =>
      voices.map(({ id, name, own }) => ({ id, name, owner: own ? "me" : "system", gender: "female", state: "ready" })),
  },
  azure: {
    path: "/cognitiveservices/voices/list",
    keyOf: (headers) => headers["ocp-apim-subscription-key"],
    body: (voices) =>
      voices.map(({ id, name }) => ({
        ShortName: id,
        DisplayName: name,
        Gender: "Female",
        Locale: "en-US",
        LocaleName: "English (United States)",
        SecondaryLocaleList: ["de-DE"],
        StyleList: ["cheerful"],
        VoiceType: "Neural",
      })),
  },
  google: {
    path: "/v1/voices",
    keyOf: (headers) => headers["x-goog-api-key"],
    body: (voices) => ({
      voices: voices.map(({ id }) => ({ name: id, languageCodes: ["en-US"], ssmlGender: "FEMALE" })),
    }),
  },
  polly: {
    path: "/v1/voices",
    keyOf: (headers) => /Credential=([^/]+)\//.exec(headers.authorization ?? "")?.[1],
    pageOf: (query) => cursorAt(query, "NextToken"),
    body: (voices, paging) => ({
      NextToken: next(paging) ?? null,
      Voices: voices.map(({ id, name }) => ({
        Id: id,
        Name: name,
        Gender: "Female",
        LanguageCode: "en-US",
        SupportedEngines: ["neural"],
      })),
    }),
  },
} satisfies Record<string, Shape>;

export const PROVIDERS = Object.keys(SHAPES) as Provider[];
export const shapeOf = (provider: Provider): Shape => SHAPES[provider];

/** How a provider answers: with the voices for a key, or in another way. */
export type Behavior = {
  voices?: (key: string, page: number) => FakeVoice[];
  pages?: number;
  instead?: (response: ServerResponse, asked: Received) => void;
};

/** Starts one real server for all providers. The path of each request begins with the provider's name. */
export async function openVoiceProviders() {
  const behaviors = new Map<string, Behavior>();
  const fake = await openFakeService((asked, response) => {
    const url = new URL(asked.url, "http://fake");
    const provider = url.pathname.split("/")[1] as Provider;
    const shape = shapeOf(provider);
    const { voices = () => [], pages = 1, instead } = behaviors.get(provider) ?? {};
    if (instead) return instead(response, asked);
    if (url.pathname !== `/${provider}${shape.path}`) return answerJson(response, 404, {});
    const key = shape.keyOf(asked.headers);
    if (typeof key !== "string" || key === "") return answerJson(response, 401, { detail: "no key" });
    const page = shape.pageOf?.(url.searchParams) ?? 0;
    const listed = provider === "hume" ? ofHume(voices(key, page), url.searchParams) : voices(key, page);
    answerJson(response, 200, shape.body(listed, { page, pages }));
  });
  return {
    ...fake,
    addressOf: (provider: string) => new URL(`${fake.url}/${provider}/`),
    behave: (provider: Provider, behavior: Behavior) => void behaviors.set(provider, behavior),
    asked: (provider: string) => fake.received.filter(({ url }) => url.startsWith(`/${provider}/`)).length,
  };
}

const ofHume = (voices: FakeVoice[], query: URLSearchParams) =>
  voices.filter(({ own }) => (query.get("provider") === "CUSTOM_VOICE") === (own === true));
