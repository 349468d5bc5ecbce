/** Returns the name in lower case without accents, with hyphens for everything but letters and digits. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, "-")
      .slice(0, 60)
      .replaceAll(/^-+|-+$/g, "") || "project"
  );
}

/** Returns the slug, or the first free one of `slug-2`, `slug-3` and so on. */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  let suffix = 2;
  while (taken.has(`${wanted}-${suffix}`)) suffix++;
  return `${wanted}-${suffix}`;
}
