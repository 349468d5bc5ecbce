import { openObjectStore } from "../support/object-store.ts";

/** Passes an object store to the specs, which vitest starts afterwards; returns the function that removes it. */
export default async function setup(): Promise<() => void> {
  const store = await openObjectStore();
  process.env.SPEC_S3_SETTINGS = JSON.stringify(store.settings);
  return store.close;
}
