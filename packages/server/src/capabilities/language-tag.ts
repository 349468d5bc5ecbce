/** A language as it is spoken: `en`, or `en-GB` where the region is said. Script says nothing about speech and is dropped. */
export type Tag = string;

/** Languages that a model, a voice or a provider takes. */
export type Languages = { tags: ReadonlySet<Tag>; bases: ReadonlySet<Tag> };

/** Both written forms of Norwegian are spoken as one. */
const SPOKEN_AS: Record<string, string> = { nb: "no", nn: "no" };

/** An extended language stands for itself: `zh-yue` is `yue`. */
const EXTENDED = /^[a-z]{2,3}-([a-z]{3})(?=-|$)/i;

/** Undefined for what is no well-formed BCP 47 tag. ISO 639-3 codes and retired ones become the current short ones. */
export function toTag(text: string): Tag | undefined {
  try {
    const { language, region } = new Intl.Locale(text.replace(EXTENDED, "$1"));
    if (language === "und") return undefined;
    const spoken = SPOKEN_AS[language] ?? language;
    return region === undefined ? spoken : `${spoken}-${region}`;
  } catch {
    return undefined;
  }
}

export function baseOf(tag: Tag): Tag {
  const end = tag.indexOf("-");
  return end < 0 ? tag : tag.slice(0, end);
}

/** Codes that are no tags are left out. */
export function languagesOf(codes: Iterable<string>): Languages {
  const tags = new Set([...codes].map(toTag).filter((tag) => tag !== undefined));
  return { tags, bases: new Set([...tags].map(baseOf)) };
}

/** The exact tag, else its base; a base is also covered by any of its regions, as lists that hold only those mean it. */
export function covers({ tags, bases }: Languages, tag: Tag): boolean {
  if (tags.has(tag)) return true;
  const base = baseOf(tag);
  return tag === base ? bases.has(base) : tags.has(base);
}

/** The first list's tags, sorted, that all the others cover too, each by its base where the regions differ. */
export function common(first: Languages, others: readonly Languages[]): Tag[] {
  const shared = [...first.tags].flatMap((tag) => {
    const everywhere = (candidate: Tag) => others.every((languages) => covers(languages, candidate));
    if (everywhere(tag)) return [tag];
    return everywhere(baseOf(tag)) ? [baseOf(tag)] : [];
  });
  return [...new Set(shared)].sort();
}
