export type { Answer, Input, Operations, ProjectChange, RunEvent } from "@svc/contract";
export { ERRORS, LIMITS, type ErrorCode } from "@svc/contract/constants";
export { type Client, createClient } from "./client.ts";
export { SvcError } from "./error.ts";
export type { CallOptions, ClientOptions, OtlpBody } from "./options.ts";
export { protobufFields, spansInRequest } from "./otlp-protobuf.ts";
export { pages, tokenPages } from "./pages.ts";
export { type ChangeOptions, followChanges } from "./project-changes.ts";
export { followRun, type FollowOptions } from "./run-events.ts";
