import { setTimeout as sleep } from "node:timers/promises";
import type { AnyInvocation } from "../command.ts";
import { prepareProfiles, profileName } from "./profile.ts";
import { isSvcError, isTemporary } from "../refusal.ts";
import type { Session } from "./session.ts";
import { keyName, saveKeys } from "./sign-in.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** Seconds that `slow_down` adds to the wait between requests (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5;

/** Shows a code, waits for its approval, and saves the keys. */
export async function signInAsDevice({
  startSession,
  flags,
  note,
  progress,
}: Pick<AnyInvocation, "startSession" | "flags" | "note" | "progress">) {
  profileName(flags.profile);
  await prepareProfiles();
  const anonymous = await startSession({ key: "none", newProfile: true });
  const { device_code, user_code, interval, verification_uri_complete } = await anonymous.client.device.code({
    client_name: keyName(),
  });
  note(`Your code is ${user_code}

Approve it in a browser:
  ${verification_uri_complete}

Or in another terminal, on any machine:
  svc login --approve ${user_code} --email YOUR-ADDRESS --url ${anonymous.url}`);
  progress.now(`Waiting for the approval of ${user_code}…`);
  const { access_token, organization } = await waitForKey(anonymous.client, device_code, interval);

  const { url, urlFrom } = anonymous;
  const target = { url, urlFrom, apiKey: access_token, keyFrom: "the approval" };
  const session = await startSession({ target });
  const { keys } = await session.client.keys.list();
  const looks_like = `svc_sk_…${access_token.slice(-4)}`;
  const own = keys.find((key) => key.looks_like === looks_like && key.name === keyName());
  const key = { id: own?.id ?? "", name: keyName(), scope: "organization", looks_like, secret: access_token };
  return saveKeys(session, organization.name, key, flags);
}

async function waitForKey(client: Session["client"], device_code: string, interval: number) {
  let seconds = interval;
  for (;;) {
    await sleep(seconds * 1000);
    try {
      return await client.device.token({ grant_type: DEVICE_GRANT, device_code });
    } catch (error) {
      const code = isSvcError(error) ? error.code : undefined;
      if (code === "slow_down") seconds += SLOW_DOWN_SECONDS;
      else if (isTemporary(error)) seconds = Math.max(seconds, error.retryAfterSeconds ?? seconds);
      else if (code !== "authorization_pending") throw error;
    }
  }
}
