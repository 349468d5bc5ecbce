const KEY = "svc.place";

/** The organization and project that a person looked at last in this browser. */
type Place = { organizationId: string; project: string };

/** Keeps the place in this browser, so that `/` leads there. */
export const rememberPlace = (place: Place): void => localStorage.setItem(KEY, JSON.stringify(place));

/** Returns the kept place, if the person still belongs to its organization. */
export function lastPlace(organizationIds: readonly string[]): Place | undefined {
  try {
    const place = JSON.parse(localStorage.getItem(KEY) ?? "null") as Place | null;
    return place !== null && organizationIds.includes(place.organizationId) ? place : undefined;
  } catch {
    return undefined;
  }
}
