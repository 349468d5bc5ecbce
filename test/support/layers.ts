import { relative } from "node:path";

/** Layers of the server, from the top; a file imports its own layer and those below. */
export const LAYERS = ["main", "rooms", "http", "access", "stores", "base"] as const;

/** Returns the path of a file in the sources of the server. */
export const inServer = (file: string) => relative("packages/server/src", file);
