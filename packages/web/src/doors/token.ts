/** Returns the token in a text that a person pastes: the token itself, or a link that ends in it. */
export const tokenOf = (text: string): string =>
  text
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .split("/")
    .at(-1)!;
