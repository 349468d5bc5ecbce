import { openObjectStore } from "../support/object-store.ts";

/** Gives the specs an object store before vitest starts them. The returned function removes the store. */
export default async function setup(): Promise<() => void> {
  const store = await openObjectStore();
  process.env.SPEC_S3_SETTINGS = JSON.stringify(store.settings);
  return store.close;
}
