import { LIMITS } from "../core/limits.ts";
import { field, HTTP, secret } from "./connection-field.ts";
import { CALL_MATCHINGS, CALL_WAIT_SECONDS, CALL_WAITS_SECONDS } from "./incoming-call.ts";
import { LINE_CONDITIONS } from "./line-conditions.ts";
import { SIP_TRANSPORTS } from "./sip-uri.ts";

/** Condition of the line in calls with sound. */
export const condition = field(
  "line",
  "choice",
  "Condition of the line in calls: `good`, which is used if the field is missing, or a bad line: `mobile`, `bad-wifi`, `satellite` or `speakerphone`.",
  { required: false, choices: [...LINE_CONDITIONS] },
);

const transport = field(
  "transport",
  "choice",
  "Transport of the SIP messages: `udp`, which is used if the field is missing, `tcp`, or `tls` with a valid certificate.",
  { required: false, choices: [...SIP_TRANSPORTS] },
);

/** Fields of an agent that the service calls over SIP. */
export const sipEndpoint = [
  field("uri", "sip", "URI of the agent, such as sip:agent@sip.example.com. Its user is no telephone number."),
  field("outboundProxy", "sip", "URI of the proxy that gets the calls, such as sip:proxy.example.com.", {
    required: false,
  }),
  transport,
  field(
    "account",
    "sip_account",
    "URI of the account under which the service registers before each call, such as sip:svc@pbx.example.com.",
    { required: false },
  ),
  condition,
];

/** Fields of an account at which the service waits for a call. */
export const waitingAccount = [
  field(
    "account",
    "sip_account",
    "URI of the account under which the service registers and waits for the call, such as sip:1001@pbx.example.com.",
  ),
  field(
    "callers",
    "sip_callers",
    "Numbers and users that may call, separated by commas, such as +493087654321 or +4930*. `*` admits everybody who reaches the account.",
  ),
  field("number", "text", "Number or URI that the agent calls, if it is not the account itself.", {
    required: false,
    maxCharacters: LIMITS.nameCharacters,
  }),
  field(
    "outboundProxy",
    "sip",
    "URI of the proxy at which the service registers, if it is not the account's host, such as sip:proxy.example.com.",
    { required: false },
  ),
  transport,
  field(
    "matching",
    "choice",
    "How a call finds its simulation: `account`, which is used if the field is missing, lets one simulation wait at a time; with `header`, several wait, and the call's header X-Svc-Simulation names one.",
    { required: false, choices: [...CALL_MATCHINGS] },
  ),
  field(
    "waitSeconds",
    "choice",
    `Seconds for which a simulation waits for its call; ${CALL_WAIT_SECONDS} if the field is missing.`,
    { required: false, choices: [...CALL_WAITS_SECONDS] },
  ),
  field(
    "dialUrl",
    "url",
    "URL that the service requests when a simulation waits, so that your endpoint lets the agent call. If the field is missing, you let it call.",
    { required: false, protocols: HTTP },
  ),
  condition,
];

/** Secret that the service sends to the endpoint that lets the agent call. */
export const dialKey = {
  ...secret("dialKey", "Bearer token that the service sends to `dialUrl`."),
  required: false,
};
