const KEY = "svc.signed-in";

export const rememberSignIn = (): void => localStorage.setItem(KEY, "yes");

export const forgetSignIn = (): void => localStorage.removeItem(KEY);

/**
 * Returns whether a person has signed in with this browser and has not signed out. The sign-in page then says that the session has ended.
 */
export const signedInBefore = (): boolean => localStorage.getItem(KEY) !== null;
