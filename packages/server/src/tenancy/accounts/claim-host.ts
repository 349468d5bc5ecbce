import { AppError } from "../../base/errors.ts";

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the host names under which an unclaimed service lets a person claim it. */
export function claimHostsOf({ host, baseUrl }: { host: string; baseUrl: string | undefined }): ReadonlySet<string> {
  const listening = host.includes(":") ? `[${host}]` : host;
  const configured = baseUrl === undefined ? [] : [new URL(baseUrl).hostname];
  return new Set([...LOCAL, listening.toLowerCase(), ...configured]);
}

/**
 * Throws unless the `Host` header names one of `hosts`. Must be called before the service creates its first account, which owns the
 * service. Without this check, a web page could point its own host name at this machine and create that account through a visitor's browser.
 */
export function requireClaimHost(hostHeader: string | undefined, hosts: ReadonlySet<string>): void {
  const hostname = URL.parse(`http://${hostHeader ?? ""}`)?.hostname ?? "";
  if (hosts.has(hostname)) return;
  throw new AppError(
    "not_permitted",
    "An unclaimed service can be claimed only under localhost or its configured address. Claim it from the machine itself, or set SVC_BASE_URL to the address that you use.",
  );
}
