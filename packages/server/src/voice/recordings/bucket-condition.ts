import type { Conditions } from "../../base/conditions.ts";
import type { S3Outcome } from "../../stores/blobs/s3-client.ts";
import { remedyOfS3 } from "../../stores/blobs/s3-failure.ts";

const CODE = "recording_store_unavailable";

/** Returns the function that shows the object store's failures as a condition until a request succeeds. */
export const reportBucket =
  (conditions: Conditions): S3Outcome =>
  (error) => {
    if (error === undefined) return conditions.clear(CODE);
    const message = `The object store does not take or answer recordings (${error.message}). New recordings wait in the data folder.`;
    conditions.report({ code: CODE, message, remedy: remedyOfS3(error), error });
  };
