/**
 * Kinds of personal data that `markPersonalData` finds, with their patterns. The text that the group of a pattern matches is not replaced.
 */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["mail address", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu],
  ["mail address", /[\w.+-]+ at [\w-]+(?: dot [a-z]{2,}\b)+/giu],
  ["account number", /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/gu],
  [
    "date of birth",
    /\b((?:born (?:on |in )?|birthday is (?:on )?|date of birth(?: is)?:? (?:on )?|dob:? ))(?:the )?(?=[^.!?]*\d)[\w,/. -]{4,30}?(?=[.!?]?\s*$|[.!?]\s|,\s+[a-z]|\s+and\b)/gimu,
  ],
  ["card number", /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/gu],
  ["telephone number", /(?<![\w-])(?:\+|00)?\(?\d(?:[ ()./-]{0,2}\d){6,14}(?![\w-])/gu],
  ["number", /\b(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple)\b[\s,-]*){6,}(?<![\s,-])/giu],
  ["name", /\b((?:Mr|Mrs|Ms|Dr)\.? )\p{Lu}[\p{L}\p{M}'’-]+/gu],
  [
    "name",
    /\b((?:[Mm]y name is|[Mm]y name's|[Tt]his is|[Uu]nder the name|I am|I'm) )(?!(?:Mr|Mrs|Ms|Dr)\b)\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+){0,2}/gu,
  ],
  ["name", /\b(my name is |my name's )(?!\[)\p{L}[\p{L}\p{M}'’-]+/giu],
];

/** Text with marks in place of personal data, and the kinds of data that were replaced. */
export type MarkedText = { text: string; kinds: string[] };

/**
 * Replaces personal data in a text by marks such as `[REPLACE: mail address]`. Finds mail addresses, telephone, card and account
 * numbers, dates of birth, spelled-out numbers, and names after words such as "my name is". The patterns miss other personal data,
 * so a person has to read the result.
 */
export function markPersonalData(text: string): MarkedText {
  const kinds: string[] = [];
  let marked = text;
  for (const [kind, pattern] of KINDS)
    marked = marked.replaceAll(pattern, (_, ...groups: unknown[]) => {
      if (!kinds.includes(kind)) kinds.push(kind);
      return `${typeof groups[0] === "string" ? groups[0] : ""}[REPLACE: ${kind}]`;
    });
  return { text: marked, kinds };
}

/** Applies `markPersonalData` to all texts of a JSON value except names of members. Adds the kinds that it finds to `kinds`. */
export function markPersonalValues(value: unknown, kinds: Set<string>): unknown {
  if (typeof value === "string") {
    const marked = markPersonalData(value);
    for (const kind of marked.kinds) kinds.add(kind);
    return marked.text;
  }
  if (Array.isArray(value)) return value.map((item) => markPersonalValues(item, kinds));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, markPersonalValues(item, kinds)]));
}
