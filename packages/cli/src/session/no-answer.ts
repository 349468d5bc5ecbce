/** `finding` is a part of a sentence; `remedy` is a sentence. */
type NoAnswer = { finding: string; remedy: string };

const SPELLING = "Check the spelling of --url, SVC_URL or the profile.";
const UNTRUSTED =
  "Set NODE_EXTRA_CA_CERTS to the PEM file of the authority that signed it, or use the address for which a known authority signed one.";

const BY_CODE: Record<string, (address: string) => NoAnswer> = {
  CERT_HAS_EXPIRED: (address) => ({
    finding: `the certificate of ${address} has expired`,
    remedy: "Renew it on that host, or set this machine's clock.",
  }),
  ERR_TLS_CERT_ALTNAME_INVALID: (address) => ({
    finding: `the certificate of ${address} is for another host name`,
    remedy: "Use the name that stands in the certificate.",
  }),
  ERR_SSL_WRONG_VERSION_NUMBER: (address) => ({
    finding: `${address} does not speak TLS`,
    remedy: "Use http:// in the address, or the port on which the proxy speaks https.",
  }),
  ERR_SSL_PACKET_LENGTH_TOO_LONG: (address) => BY_CODE["ERR_SSL_WRONG_VERSION_NUMBER"]!(address),
  ENOTFOUND: (address) => ({ finding: `no machine has the name in ${address}`, remedy: SPELLING }),
  EAI_AGAIN: (address) => ({
    finding: `the name in ${address} could not be looked up`,
    remedy: "Check this machine's network and its DNS.",
  }),
  ECONNRESET: (address) => ({
    finding: `${address} closed the connection without an answer`,
    remedy:
      "Check that the address has the right scheme, http or https, and look at the log of the service or its proxy.",
  }),
  UND_ERR_SOCKET: (address) => BY_CODE["ECONNRESET"]!(address),
  HTTPParserError: (address) => ({ finding: `${address} does not speak HTTP`, remedy: SPELLING }),
  ETIMEDOUT: (address) => ({
    finding: `${address} did not answer in time`,
    remedy: "Check the network between this machine and the service, such as a firewall, and the load of the service.",
  }),
  UND_ERR_CONNECT_TIMEOUT: (address) => BY_CODE["ETIMEDOUT"]!(address),
  TimeoutError: (address) => BY_CODE["ETIMEDOUT"]!(address),
};

const isOfCertificate = (code: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code);

/** `error` is the error of the request, or the cause of that error. */
export function noAnswerAt(address: string, error: unknown): NoAnswer {
  const codes = codesIn(error);
  const known = codes.find((code) => Object.hasOwn(BY_CODE, code));
  if (known !== undefined) return BY_CODE[known]!(address);
  const certificate = codes.find(isOfCertificate);
  if (certificate !== undefined)
    return { finding: `the certificate of ${address} is not trusted (${certificate})`, remedy: UNTRUSTED };
  const remedy = "Start the service with `svc serve`, or set its address with --url or SVC_URL.";
  return { finding: `nothing answers at ${address}`, remedy };
}

export const noAnswerText = (address: string, error: unknown): string => {
  const { finding, remedy } = noAnswerAt(address, error);
  const sentence = finding.startsWith(address) ? finding : `${finding[0]!.toUpperCase()}${finding.slice(1)}`;
  return `${sentence}. ${remedy}`;
};

function codesIn(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, name, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  const parts = error instanceof AggregateError ? error.errors.flatMap(codesIn) : [];
  return [...(typeof code === "string" ? [code] : []), name, ...parts, ...codesIn(cause)];
}
