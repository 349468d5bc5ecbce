export { type Answer, ERRORS, type ErrorCode, type Input, LIMITS, type Operations, type RunEvent } from "@svc/contract";
export { type CallOptions, type Client, type ClientOptions, createClient, type OtlpBody } from "./client.ts";
export { SvcError } from "./error.ts";
export { protobufFields, spansInRequest } from "./otlp-protobuf.ts";
export { pages, tokenPages } from "./pages.ts";
export { followRun, type FollowOptions } from "./run-events.ts";
