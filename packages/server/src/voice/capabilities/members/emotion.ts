import type { TextCapability } from "@svc/contract";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { baseOf, type Tag } from "../language-tag.ts";
import type { Pair } from "../pair.ts";
import type { ListedVoice } from "../voice-listing.ts";
import { fixed, supported, unknown } from "./member.ts";

const NEUTRAL = "neutral";

export function emotionOf(
  catalogue: Catalogue,
  { speaker, voiceId }: Pair,
  chosen: ListedVoice | undefined,
  spoken: Tag | undefined,
): TextCapability {
  const { emotions } = speaker;
  switch (emotions.kind) {
    case "none":
      return fixed(NEUTRAL, emotions.reason ?? `${speaker.label} has no setting for emotions.`);
    case "unknown":
      return unknown(emotions.reason);
    case "instructed":
      return supported([...catalogue.canonicalEmotions], `Asked for ${emotions.via}.`);
    case "listed": {
      const { choices, onlyLanguages, reason } = emotions;
      if (!onlyLanguages) return supported([...choices], reason);
      if (spoken !== undefined && !onlyLanguages.bases.has(baseOf(spoken))) return fixed(NEUTRAL, reason!);
      return supported([...choices], spoken === undefined ? reason : undefined);
    }
    case "styles": {
      const id = chosen?.id ?? voiceId;
      if (id === undefined) return unknown("Choose a voice: each voice has its own styles.");
      const styles = chosen?.emotions ?? stylesOf(catalogue, id);
      if (styles && styles.length > 0) return supported(expressedBy(catalogue, styles));
      if (chosen) return fixed(NEUTRAL, `The voice "${chosen.name}" has no styles.`);
      return unknown(`The styles of the voice "${id}" are not known.`);
    }
  }
}

/** Returns the styles of a voice by its id. An id without an entry has the styles of the voice family after the colon in the id. */
const stylesOf = ({ stylesOfVoice }: Catalogue, id: string): readonly string[] | undefined =>
  stylesOfVoice.get(id) ?? (id.includes(":") ? stylesOfVoice.get(`*${id.slice(id.indexOf(":"))}`) : undefined);

function expressedBy({ canonicalEmotions, styleMeans }: Catalogue, styles: readonly string[]): string[] {
  const canonical = canonicalEmotions.filter(
    (emotion) => emotion === NEUTRAL || styleMeans.get(emotion)?.some((style) => styles.includes(style)),
  );
  return [...new Set([...canonical, ...styles])];
}
