const KEY = "svc.place";

/** `project` is a slug. */
type Place = { organizationId: string; project: string };

/** Stores the place in this browser, so that `/` redirects to it. */
export const rememberPlace = (place: Place): void => localStorage.setItem(KEY, JSON.stringify(place));

/** Returns undefined if the person no longer belongs to the organization of the stored place. */
export function lastPlace(organizationIds: readonly string[]): Place | undefined {
  try {
    const place = JSON.parse(localStorage.getItem(KEY) ?? "null") as Place | null;
    return place !== null && organizationIds.includes(place.organizationId) ? place : undefined;
  } catch {
    return undefined;
  }
}
