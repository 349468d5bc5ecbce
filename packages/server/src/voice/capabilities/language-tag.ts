/** Tag of a spoken language: `en`, or `en-GB` with a region. A tag has no script, because speech has no script. */
export type Tag = string;

/** `bases` are the tags without their regions. */
export type Languages = { tags: ReadonlySet<Tag>; bases: ReadonlySet<Tag> };

/** Bokmål and Nynorsk are written forms of one spoken language. */
const SPOKEN_AS: Record<string, string> = { nb: "no", nn: "no" };

/** Matches a tag with an extended language, which replaces the prefix: `zh-yue` becomes `yue`. */
const EXTENDED = /^[a-z]{2,3}-([a-z]{3})(?=-|$)/i;

/** Returns the tag of a language; undefined for other text. An ISO 639-3 code or a retired code becomes the current short code. */
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

export function languagesOf(codes: Iterable<string>): Languages {
  const tags = new Set([...codes].map(toTag).filter((tag) => tag !== undefined));
  return { tags, bases: new Set([...tags].map(baseOf)) };
}

/**
 * Returns whether the list contains the language. A tag without a region is also covered by any of its regions: a provider that lists
 * `en-US` supports `en`.
 */
export function covers({ tags, bases }: Languages, tag: Tag): boolean {
  if (tags.has(tag)) return true;
  const base = baseOf(tag);
  return tag === base ? bases.has(base) : tags.has(base);
}

/**
 * Returns the tags that all lists cover. When the other lists cover a tag only without its region, the result contains the tag without its
 * region.
 */
export function common(first: Languages, others: readonly Languages[]): Tag[] {
  const shared = [...first.tags].flatMap((tag) => {
    const everywhere = (candidate: Tag) => others.every((languages) => covers(languages, candidate));
    if (everywhere(tag)) return [tag];
    return everywhere(baseOf(tag)) ? [baseOf(tag)] : [];
  });
  return [...new Set(shared)].sort();
}
