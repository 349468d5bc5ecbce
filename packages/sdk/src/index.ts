export type {
  Answer,
  Delivery,
  Destination,
  Input,
  Operations,
  ProjectChange,
  ProjectEvent,
  RunEvent,
  Trunk,
} from "@svc/contract";
export {
  ERRORS,
  KEY_PERMISSION_NAMES,
  KEY_PERMISSIONS,
  LIMITS,
  type ErrorCode,
  type KeyPermission,
} from "@svc/contract/constants";
export { audioAddress, type AudioOperation } from "./audio-address.ts";
export { type Client, createClient } from "./client.ts";
export { SvcError } from "./error.ts";
export { assertPassed, failureText } from "./failures.ts";
export type { CallOptions, ClientOptions, OtlpBody } from "./options.ts";
export { protobufFields, spansInRequest } from "./otlp-protobuf.ts";
export { type CursorPage, pages, type TokenPage } from "./pages.ts";
export { type PlayedRun, playRun, type RunRequest } from "./play-run.ts";
export { type ChangeOptions, followChanges } from "./project-changes.ts";
export { followRun, type FollowOptions } from "./run-events.ts";
