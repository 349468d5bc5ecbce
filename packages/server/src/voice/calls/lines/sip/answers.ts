import { type Header, type SipMessage, writeMessage } from "./message.ts";

/** Number of recent responses that are stored. When the other side repeats a request, its response is sent again. */
const ANSWERS_MAX = 32;
const REASONS: Record<number, string> = {
  100: "Trying",
  180: "Ringing",
  200: "OK",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  420: "Bad Extension",
  480: "Temporarily Unavailable",
  481: "Call/Transaction Does Not Exist",
  482: "Loop Detected",
  486: "Busy Here",
  487: "Request Terminated",
  488: "Not Acceptable Here",
  500: "Server Internal Error",
};

type Answers = {
  write: (request: SipMessage, status: number, body: string, more?: readonly Header[]) => Buffer;
  /** Returns the stored response to a repeated request; undefined for a new request. */
  to: (request: SipMessage) => Buffer | undefined;
};

export function createAnswers(own: { localTag: string; contact: Header; allow: string }): Answers {
  const written = new Map<string, Buffer>();
  const nameOf = ({ branch, method }: SipMessage) => `${branch} ${method}`;
  return {
    write(request, status, body, more = []) {
      const copied = ["Via", "Record-Route", "From", "To", "Call-ID", "CSeq"].flatMap((name) =>
        (request.headers.get(name.toLowerCase()) ?? []).map((value): Header => [name, value]),
      );
      const tagged = copied.map(([name, value]): Header =>
        name === "To" && request.toTag === "" && status > 100 ? [name, `${value};tag=${own.localTag}`] : [name, value],
      );
      const opensDialog = request.method === "INVITE" && status > 100 && status < 300;
      const described: Header[] = [
        ...(opensDialog || body !== "" ? [own.contact] : []),
        ...(body === "" ? [] : [["Content-Type", "application/sdp"] as const]),
        ...more,
      ];
      const first = `SIP/2.0 ${status} ${REASONS[status]}`;
      const bytes = writeMessage(first, [...tagged, ...described, ["Allow", own.allow]], body);
      if (written.size >= ANSWERS_MAX) written.delete(written.keys().next().value!);
      written.set(nameOf(request), bytes);
      return bytes;
    },

    to: (request) => written.get(nameOf(request)),
  };
}
