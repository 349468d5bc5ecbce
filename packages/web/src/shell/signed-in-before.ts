const KEY = "svc.signed-in";

/** Keeps in this browser that a person signed in here. */
export const rememberSignIn = (): void => localStorage.setItem(KEY, "yes");

/** Forgets it, after a person signed out. */
export const forgetSignIn = (): void => localStorage.removeItem(KEY);

/** Returns whether a person signed in with this browser and did not sign out; a page without a session then says that it ended. */
export const signedInBefore = (): boolean => localStorage.getItem(KEY) !== null;
