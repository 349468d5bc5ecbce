export type { Answer, Input, Operations, RunEvent } from "@svc/contract";
export { ERRORS, LIMITS, type ErrorCode } from "@svc/contract/constants";
export { type CallOptions, type Client, type ClientOptions, createClient, type OtlpBody } from "./client.ts";
export { SvcError } from "./error.ts";
export { protobufFields, spansInRequest } from "./otlp-protobuf.ts";
export { pages, tokenPages } from "./pages.ts";
export { followRun, type FollowOptions } from "./run-events.ts";
