const credentials = (count: number): string => (count === 1 ? "1 credential" : `${count} credentials`);

/** Returns the result of a new seal in words. */
export function resealWords(result: { resealed: number; current: number; unreadable: number }): string {
  const { resealed, current, unreadable } = result;
  const parts = [
    resealed > 0 && `The newest key now seals ${credentials(resealed)} more.`,
    current > 0 && `It sealed ${credentials(current)} already.`,
    unreadable > 0 &&
      `No configured key opens ${credentials(unreadable)}: add the key that sealed them, or enter them again.`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "The organization has no credential." : parts.join(" ");
}
