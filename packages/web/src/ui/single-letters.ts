const KEY = "svc.singleLetters";

/** Returns whether single letters act as shortcuts in this browser; they do unless the person has switched them off. */
export const lettersAreOn = (): boolean => localStorage.getItem(KEY) !== "off";

/** Keeps in this browser whether single letters act as shortcuts. */
export const switchLetters = (on: boolean): void => localStorage.setItem(KEY, on ? "on" : "off");
