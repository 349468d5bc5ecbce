import { hash } from "node:crypto";
import { type Audio, CALL_RATE, joined } from "../audio/audio.ts";
import { speechLevelOf } from "../audio/level.ts";
import { mixed, noiseFactor, scaled } from "../audio/mix.ts";
import { createSurroundings, SURROUNDINGS_DBFS } from "../audio/surroundings/surroundings.ts";
import { wavOf } from "../audio/wav-writing.ts";
import { createRecentCache } from "../../base/async/recent-cache.ts";
import type { SpeakingPersona } from "./persona-sound.ts";
import type { FindPersonaSound } from "./persona-sounds.ts";
import type { Synthesizer } from "./speech.ts";
import type { PersonaSurroundings } from "./turn-taking.ts";

const CACHE_BYTES = 16 * 1024 * 1024;
/** Number of samples before and after the sentence in which only the background noise is audible. */
const MARGIN_SAMPLES = CALL_RATE * 0.4;

const SENTENCES: Record<string, string> = {
  en: "Hello. I am calling about my booking on Friday, and I have a question.",
  de: "Guten Tag. Ich rufe wegen meiner Buchung am Freitag an und habe eine Frage.",
  es: "Hola. Llamo por mi reserva del viernes y tengo una pregunta.",
  fr: "Bonjour. J'appelle pour ma réservation de vendredi et j'ai une question.",
  it: "Buongiorno. Chiamo per la mia prenotazione di venerdì e ho una domanda.",
  ja: "もしもし。金曜日の予約のことでお電話しました。一つ質問があります。",
  nl: "Goedendag. Ik bel over mijn reservering van vrijdag en ik heb een vraag.",
  pl: "Dzień dobry. Dzwonię w sprawie mojej piątkowej rezerwacji i mam pytanie.",
  pt: "Olá. Estou a ligar por causa da minha reserva de sexta-feira e tenho uma pergunta.",
  zh: "您好。我打电话是想问一下我星期五的预订,我有一个问题。",
};

/** A sentence in a persona's voice. `tag` is a hash of the file. */
type VoiceSample = { wav: Buffer; tag: string };

/** Speaks a sentence in a persona's voice. Rejects with a `SpeechFailure`. */
export type VoiceSampleOf = (
  organizationId: string,
  persona: SpeakingPersona,
  signal: AbortSignal,
) => Promise<VoiceSample>;

export function createVoiceSamples(
  findSound: FindPersonaSound,
  synthesizerOf: (organizationId: string) => Synthesizer,
): VoiceSampleOf {
  const cache = createRecentCache<VoiceSample>(CACHE_BYTES, ({ wav }) => wav.length);

  return async (organizationId, persona, signal) => {
    const { voice, surroundings } = await findSound(organizationId, persona, persona.id);
    const key = JSON.stringify([organizationId, voice, surroundings]);
    const inCache = cache.get(key);
    if (inCache) return inCache;
    const base = new Intl.Locale(voice.language ?? "en").language;
    const speech = await synthesizerOf(organizationId)(SENTENCES[base] ?? SENTENCES["en"]!, voice, signal);
    const wav = wavOf(inSurroundings(speech, surroundings, persona.id));
    const sample = { wav, tag: hash("sha256", wav, "hex") };
    cache.set(key, sample);
    return sample;
  };
}

function inSurroundings(speech: Audio, surroundings: PersonaSurroundings | null, seed: string): Audio {
  const margin = new Int16Array(MARGIN_SAMPLES);
  const samples = joined([margin, speech.samples, margin]);
  if (surroundings === null) return { samples, rate: speech.rate };
  const noise = createSurroundings(surroundings.kind, seed)(samples.length);
  const factor = noiseFactor(speechLevelOf(speech.samples, speech.rate), SURROUNDINGS_DBFS, surroundings.snrDb);
  return { samples: mixed(samples, scaled(noise, factor)), rate: speech.rate };
}
