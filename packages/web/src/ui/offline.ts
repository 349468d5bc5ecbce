import { createContext, use } from "react";

/** The time of the newest shown data while the service does not answer, in milliseconds since 1970; undefined while it answers. */
export const Offline = createContext<number | undefined>(undefined);

/** Returns whether the service does not answer, so that nothing can be written. */
export const useIsOffline = (): boolean => use(Offline) !== undefined;
