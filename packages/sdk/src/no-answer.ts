import { SvcError } from "./error.ts";

/** Returns the error of a call that exceeded its time limit. */
export function timedOut(baseUrl: string, address: string, timeoutMs: number): SvcError {
  const cause = new DOMException("The time limit of the call is over.", "TimeoutError");
  const message = `${baseUrl} did not answer within ${timeoutMs} ms. Raise \`timeoutMs\`, or check the service with \`svc doctor\`.`;
  return new SvcError({ code: "unreachable", status: 0, message, address, reason: "timeout", timeoutMs, cause });
}

/**
 * Returns the error of a call that got no complete answer. Its `cause` is the cause of `fetch`'s error. It is not `fetch`'s error
 * itself, because that error can contain the request with the API key.
 */
export function connectionLost(baseUrl: string, address: string, error: unknown): SvcError {
  const { cause } = error as { cause?: unknown };
  const reason = codeOf(cause) ?? codeOf(error);
  const message = messageOf(baseUrl, reason);
  return new SvcError({ code: "unreachable", status: 0, message, address, reason, cause });
}

/** Node's message for a port that the standard of `fetch` blocks. The error has no code. */
const BAD_PORT = "bad port";

function codeOf(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "string") return code;
  return message === BAD_PORT ? BAD_PORT : undefined;
}

/** Returns the problem and the next step. The table `TEXTS` also has codes that only Bun uses. */
function messageOf(baseUrl: string, reason: string | undefined): string {
  if (reason === undefined) return `${baseUrl} did not answer. ${adviceWithoutReason(baseUrl)}`;
  const [text, advice] = TEXTS.find(([codes]) => codes.test(reason))?.slice(1) ?? [
    "did not answer",
    "Check the address, and check with `svc doctor` that the service runs.",
  ];
  return `${baseUrl} ${text} (${reason}). ${advice}`;
}

const TEXTS: [codes: RegExp, text: string, advice: string][] = [
  [
    /^(ECONNREFUSED|ConnectionRefused)$/,
    "refuses the connection",
    "Start the service, or correct the address and its port.",
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "has a host name that nothing resolves", "Correct the address, or check the network."],
  [/^bad port$/, "has a port that no `fetch` connects to", "Give the service another port."],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    "has a certificate that is not valid today",
    "Renew the certificate, or correct this machine's clock.",
  ],
  [
    /ALTNAME_INVALID$/,
    "has a certificate for another name",
    "Use the name in the certificate as the address, or renew the certificate.",
  ],
  [
    /SELF_SIGNED_CERT|VERIFY_LEAF_SIGNATURE|ISSUER_CERT|^CERT_/,
    "has a certificate that this process does not trust",
    "Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, and start the process again.",
  ],
  [
    /SSL|^EPROTO$/,
    "does not speak TLS as the address says",
    "Use http:// for a service without a certificate, or correct the port.",
  ],
];

/** Returns the next step when the reason is unknown. In a browser, a refused connection and a missing CORS origin look the same. */
function adviceWithoutReason(baseUrl: string): string {
  const { location } = globalThis as { location?: { origin?: string } };
  const { origin } = new URL(baseUrl);
  return location?.origin === undefined || location.origin === origin
    ? "Check the address, and check with `svc doctor` that the service runs."
    : `Check that the service runs, and that its setting SVC_CORS_ORIGINS contains ${location.origin}.`;
}
