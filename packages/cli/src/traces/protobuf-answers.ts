import { messageInStatus, partialSuccessIn } from "./protobuf.ts";

type Statuses = Record<string, { status: number }>;

/**
 * A `fetch` that turns the service's protobuf answers, which follow a protobuf export, into the JSON that the client
 * reads: counts of refused spans, and errors. `errors` is the registry of codes with their statuses.
 */
export function readingProtobufAnswers(errors: Statuses): typeof fetch {
  return async (...request) => {
    const response = await fetch(...request);
    if (!response.headers.get("content-type")?.startsWith("application/x-protobuf")) return response;
    const bytes = await response.bytes();
    const body = response.ok ? partialSuccess(bytes) : errorOf(response.status, bytes);
    const headers = new Headers(response.headers);
    for (const name of ["content-length", "content-encoding"]) headers.delete(name);
    headers.set("content-type", "application/json");
    return new Response(JSON.stringify(body), { status: response.status, headers });
  };

  function errorOf(status: number, bytes: Uint8Array) {
    const code = Object.keys(errors).find((name) => errors[name]?.status === status);
    return { error: code, message: messageInStatus(bytes) };
  }
}

function partialSuccess(bytes: Uint8Array) {
  const { rejectedSpans, errorMessage } = partialSuccessIn(bytes);
  if (rejectedSpans === 0 && errorMessage === "") return {};
  return { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } };
}
