import { z } from "zod";
import { idInput } from "./ids.ts";
import { projectId } from "./selection.ts";

const organizationId = idInput("org").optional().meta({
  description:
    "The organization in which the session acts for this request. It replaces the header `Svc-Organization`, which a media element of a web page cannot send.",
});

/** Members of an operation that returns a WAV file, or a range of its bytes. */
export const audioAnswer = {
  query: z.strictObject({ projectId, organizationId }),
  headers: { range: "Range", ifRange: "If-Range", ifNoneMatch: "If-None-Match" },
  answer: "audio",
  alsoStatus: { 206: "The requested range of bytes." },
  errors: ["range_not_satisfiable"],
} as const;
