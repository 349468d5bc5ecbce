import type { ConfigField } from "@svc/contract";

export const ENTER_CREDENTIAL =
  "The new address is on another host. Enter the credential again: the stored one was entered for the former host.";

/** Scheme, port and SIP transport are part of a host. */
export function namesAnotherHost(
  fields: readonly ConfigField[],
  before: Record<string, string>,
  after: Record<string, string>,
): boolean {
  const { transport: former = "udp" } = before;
  const { transport = "udp" } = after;
  return (
    transport !== former || fields.some(({ kind, name }) => hostOf(kind, before[name]) !== hostOf(kind, after[name]))
  );
}

function hostOf(kind: ConfigField["kind"], address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  if (kind === "url") return URL.parse(address)?.origin;
  if (kind === "sip" || kind === "sip_account") return address.toLowerCase().replace(/^(sips?:)[^@]*@/, "$1");
  return undefined;
}
