/** The parts of a `sip:` URI that the service calls. */
export type SipUri = { user: string; host: string; port: number };

/** A user part begins with a letter, so that it is no telephone number in any notation. */
const SIP_URI =
  /^sip:(?:([A-Za-z][A-Za-z0-9_.~-]{0,63})@)?([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)(?::(\d{1,5}))?(?:;transport=udp)?$/i;
const PORT = 5_060;

/** Reads a `sip:` URI; undefined when the service does not call it. */
export function readSipUri(text: string): SipUri | undefined {
  const [, user = "", host = "", digits] = SIP_URI.exec(text) ?? [];
  const port = digits === undefined ? PORT : Number(digits);
  return host === "" || port < 1 || port > 65_535 ? undefined : { user, host, port };
}

/** Returns why the service does not call a `sip:` URI; undefined when it does. */
export function sipUriProblem(text: string): string | undefined {
  if (readSipUri(text)) return undefined;
  if (/^sips?:[^@]*\d[^@]*@/i.test(text) && !/^sips?:[a-z]/i.test(text))
    return "Telephone numbers are not called: use a user name that begins with a letter.";
  return "Send an address such as sip:agent@sip.example.com:5060, over UDP and without other parameters or a password.";
}
