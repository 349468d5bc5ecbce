/** SIP URI that the service may call. The user part begins with a letter, so it cannot be a telephone number in any notation. */
const SIP_URI =
  /^sip:(?:[A-Za-z][A-Za-z0-9_.~-]{0,63}@)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::([1-9]\d{0,4}))?(?:;transport=udp)?$/i;

/** SIP URI under which the service may register. Its user part may consist of digits, because the service never calls it. */
const SIP_ACCOUNT =
  /^sip:[A-Za-z0-9_.~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::([1-9]\d{0,4}))?(?:;transport=udp)?$/i;

/** Returns why the service cannot register under a `sip:` URI; undefined when it can. */
export function sipAccountProblem(text: string): string | undefined {
  const match = SIP_ACCOUNT.exec(text);
  if (match && Number(match[1] ?? 0) <= 65_535) return undefined;
  return "Send an account such as sip:svc@pbx.example.com, without other parameters or a password.";
}

/** Returns why the service cannot call a `sip:` URI; undefined when it can. */
export function sipUriProblem(text: string): string | undefined {
  const match = SIP_URI.exec(text);
  if (match && Number(match[1] ?? 0) <= 65_535) return undefined;
  if (/^sips?:[^a-z@][^@]*@/i.test(text))
    return "This type calls no telephone numbers: use a connection of type phone_number, or a user name that begins with a letter.";
  return "Send an address such as sip:agent@sip.example.com:5060, without other parameters or a password. Choose TCP or TLS by the field `transport`.";
}

/** Transports of SIP messages. */
export const SIP_TRANSPORTS = ["udp", "tcp", "tls"] as const;
/** Name of a transport of SIP messages. */
export type SipTransport = (typeof SIP_TRANSPORTS)[number];

/** Host and port of a trunk, and the transport unless that is UDP. */
const TRUNK_ADDRESS =
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::([1-9]\d{0,4}))?(?:;transport=(?:udp|tcp|tls))?$/i;

/** Returns why the service cannot reach a trunk at an address; undefined when it can. */
export function trunkAddressProblem(text: string): string | undefined {
  const match = TRUNK_ADDRESS.exec(text);
  if (match && Number(match[1] ?? 0) <= 65_535) return undefined;
  return "Send the host of the trunk, with its port unless that is 5060, such as sip.example.com:5070, and ;transport=tls or ;transport=tcp unless it takes UDP.";
}
