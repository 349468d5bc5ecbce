import type { Catalogue, Provider, Recognizer, Speaker } from "./catalogue/catalogue.ts";
import { covers, type Tag, toTag } from "./language-tag.ts";

export type ModelName = { provider: string; model: string };

/** The models and the voice of a persona. Without `stt` (speech-to-text), no recognizer limits the capabilities. */
export type SpeechSelection = { tts: ModelName; stt?: ModelName; language?: string; voiceId?: string };

export type Pair = {
  provider: Provider<Speaker>;
  speaker: Speaker;
  recognizer: Recognizer | undefined;
  language: Tag | undefined;
  voiceId: string | undefined;
  /** The voice whose name is part of the model's name; undefined when the name contains no voice. */
  voiceInName: string | undefined;
};

export function pairOf(selection: SpeechSelection, catalogue: Catalogue): Pair | { refused: string } {
  const { tts, stt, voiceId } = selection;
  const hearing = stt && find(catalogue.speechToText, stt);
  if (stt && !hearing?.model) {
    return { refused: hearing?.provider.closed ?? `Speech recognition ${nameOf(stt)} is not known to this release.` };
  }
  const recognizer = hearing?.model;
  if (recognizer?.closed !== undefined) return { refused: recognizer.closed };

  const language = selection.language === undefined ? undefined : toTag(selection.language);
  if (selection.language !== undefined) {
    if (language === undefined) return { refused: `"${selection.language}" is not a BCP 47 language tag.` };
    const heard = recognizer?.languages;
    if (heard && !covers(heard.possible, language)) {
      return { refused: `Speech recognition ${nameOf(stt!)} does not recognize ${language}.` };
    }
  }

  const speaking = find(catalogue.textToSpeech, tts);
  const { speaker, voiceInName } = speakerOf(speaking, tts.model.trim());
  if (!speaking || !speaker) {
    return { refused: speaking?.provider.closed ?? `Text-to-speech ${nameOf(tts)} is not known to this release.` };
  }
  return { provider: speaking.provider, speaker, recognizer, language, voiceId, voiceInName };
}

type ModelMatch<Model> = { provider: Provider<Model>; model: Model | undefined };

function find<Model>(providers: ReadonlyMap<string, Provider<Model>>, name: ModelName): ModelMatch<Model> | undefined {
  const provider = providers.get(name.provider.trim().toLowerCase());
  return provider && { provider, model: provider.models.get(name.model.trim()) };
}

/**
 * Returns the model with this name. A name that is not a model's may be a voice's, which begins with the id of its model: the longest
 * matching id decides.
 */
function speakerOf(match: ModelMatch<Speaker> | undefined, name: string): { speaker?: Speaker; voiceInName?: string } {
  if (!match) return {};
  if (match.model) return { speaker: match.model };
  const [longest] = [...match.provider.models.values()]
    .filter(({ id, voices }) => voices.inModelName && name.startsWith(`${id}-`))
    .sort((one, other) => other.id.length - one.id.length);
  return longest ? { speaker: longest, voiceInName: name } : {};
}

const nameOf = ({ provider, model }: ModelName): string => `${provider.trim().toLowerCase()}/${model.trim()}`;
