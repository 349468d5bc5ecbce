import { OutboundFailure } from "../../base/net/outbound.ts";

/** An error that the object store answered. It contains the status and the error code, and nothing else from the answer. */
export class S3Failure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`the object store answered ${status} ${code}`.trimEnd());
    this.name = "S3Failure";
    this.status = status;
    this.code = code;
  }
}

const CODE = /<Code>([A-Za-z0-9]{1,64})<\/Code>/;

export const codeIn = (body: string): string => CODE.exec(body)?.[1] ?? "";

/** Error codes with a 4xx status after which a retry may succeed: the store is busy, or the upload was cut short. */
const PASSING = new Set(["SlowDown", "RequestTimeout", "BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch"]);

export function isPassingFailure(error: unknown): boolean {
  if (error instanceof OutboundFailure) return ["timeout", "unreachable", "not_http"].includes(error.fault);
  if (!(error instanceof S3Failure)) return false;
  return error.status >= 500 || error.status === 429 || PASSING.has(error.code);
}

const UNKNOWN_KEY = "Correct SVC_S3_ACCESS_KEY_ID: the object store does not know this key.";
const REMEDIES: Record<string, string> = {
  InvalidAccessKeyId: UNKNOWN_KEY,
  // The S3 server versitygw sends this code.
  XAdminUserNotFound: UNKNOWN_KEY,
  SignatureDoesNotMatch: "Correct SVC_S3_SECRET_ACCESS_KEY: it does not belong to SVC_S3_ACCESS_KEY_ID.",
  AccessDenied: "Allow the key to read, write, delete and list the objects of the bucket.",
  NoSuchBucket: "Create the bucket, or correct SVC_S3_BUCKET.",
  AuthorizationHeaderMalformed: "Correct SVC_S3_REGION: the bucket is in another region.",
  RequestTimeTooSkewed: "Set the clock of this machine.",
};
const REFUSED = "Compare the settings SVC_S3_… with the object store, and read its log: it refuses requests.";
const REDIRECTED = "Correct SVC_S3_REGION and SVC_S3_ENDPOINT: the store says that the bucket has another address.";
const AWAY = "Start the object store, or correct SVC_S3_ENDPOINT, so that this machine reaches it.";

export function remedyOfS3(error: unknown): string {
  if (error instanceof S3Failure) return REMEDIES[error.code] ?? REFUSED;
  return error instanceof OutboundFailure && error.fault === "redirected" ? REDIRECTED : AWAY;
}
