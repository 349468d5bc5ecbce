import { relative } from "node:path";

/** The layers of the server, from the top. A file imports its own layer and the layers below. */
export const LAYERS = ["main", "rooms", "http", "access", "stores", "base"] as const;

/** Returns the path of a file relative to the sources of the server. */
export const inServer = (file: string) => relative("packages/server/src", file);
