import type { IncomingMessage } from "node:http";
import type { Conditions } from "../base/conditions.ts";
import { kindOfAddress } from "../base/net/address-guard.ts";

const SAMPLE = 200;
/** Minimum share of proxied requests in a sample that proves a proxy. Some requests, such as health checks, bypass the proxy. */
const SHARE = 0.9;

/**
 * Reports a condition when a proxy forwards the requests and `SVC_TRUST_PROXY` is not set. Without this setting, all people behind the
 * proxy count as one network and share the limits of sign-in.
 */
export function createProxyWatch(conditions: Conditions): (request: IncomingMessage) => void {
  let requests = 0;
  let proxied = 0;
  let isReported = false;
  return ({ headers, socket }) => {
    if (isReported) return;
    requests++;
    if (headers["x-forwarded-for"] !== undefined && kindOfAddress(socket.remoteAddress ?? "") === "private") proxied++;
    if (requests < SAMPLE) return;
    isReported = proxied >= SAMPLE * SHARE;
    [requests, proxied] = [0, 0];
    if (!isReported) return;
    conditions.report({
      code: "proxy_not_trusted",
      degrades: false,
      message:
        "Requests arrive through a proxy, and SVC_TRUST_PROXY is not set. All people behind it count as one network.",
      remedy:
        "Make the proxy overwrite X-Forwarded-For and X-Forwarded-Proto, then set SVC_TRUST_PROXY=true, and SVC_BASE_URL to the public address.",
    });
  };
}
