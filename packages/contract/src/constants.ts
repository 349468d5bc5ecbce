// What the interface says in plain constants, for a thread that has no use for the schemas: they take longer to load than
// all the rest of it.
export * from "./graders/built-in.ts";
export * from "./core/errors.ts";
export * from "./core/limits.ts";
export * from "./traces/measures.ts";
