// The constants of the interface, without the schemas. A thread that needs no schema starts faster with this module.
export * from "./agents/platforms.ts";
export * from "./core/cut-text.ts";
export * from "./core/errors.ts";
export * from "./core/kept-numbers.ts";
export * from "./core/limits.ts";
export * from "./core/permissions.ts";
export * from "./graders/built-in.ts";
export * from "./graders/verdicts.ts";
export * from "./service/pages.ts";
export * from "./test-definitions/caller-lines.ts";
export * from "./test-definitions/draft-test.ts";
export * from "./traces/bounds.ts";
export * from "./traces/masked-value.ts";
export * from "./traces/measures.ts";
export * from "./traces/quality-topics.ts";
export * from "./voice/key-providers.ts";
export * from "./voice/recognizer.ts";
