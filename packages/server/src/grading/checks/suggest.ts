import { predicateOf } from "./grammar/predicate.ts";
import { FORMS } from "./table.ts";

/** Returns the example of the nearest form for a sentence that is only nearly in a form; null when none is near. */
export function suggestionFor(behavior: string): string | null {
  const { never, text } = predicateOf(behavior);
  const near = FORMS.filter(({ nearly }) => nearly.test(text)).flatMap(({ examples }) => examples);
  const words = wordsOf(text);
  const alike = near.filter((example) => predicateOf(example).never === never);
  const [best] = (alike.length > 0 ? alike : near).toSorted((a, b) => likeness(b, words) - likeness(a, words));
  return best ?? null;
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z]+(?:_\w+)?|=|"|\//g));

/** Returns how many words an example shares with the sentence, less a part of those that it has more. */
function likeness(example: string, words: ReadonlySet<string>): number {
  const own = [...wordsOf(predicateOf(example).text)];
  const shared = own.filter((word) => words.has(word) && word !== "the").length;
  return shared - (own.length - shared) / 4;
}
