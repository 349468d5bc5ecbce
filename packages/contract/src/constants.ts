// What the interface says in plain constants, for a thread that has no use for the schemas: they take longer to load than
// all the rest of it.
export * from "./built-in-graders.ts";
export * from "./errors.ts";
export * from "./limits.ts";
export * from "./measures.ts";
