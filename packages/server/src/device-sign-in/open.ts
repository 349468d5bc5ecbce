import { LIMITS } from "@svc/contract";
import type { PeopleStore } from "../accounts/store/people.ts";
import type { KeyStore } from "../api-keys/store.ts";
import type { Ground } from "../ground.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import { deviceRoutes, hintOnDevicePage } from "./routes.ts";
import { createDeviceStore } from "./store.ts";

const CODES_PER_MINUTE = 30;
const TRIES_PER_MINUTE = 30;
const POLLS_PER_MINUTE = 240;

export function openDeviceSignIn(
  { config, db }: Ground,
  people: PeopleStore,
  keys: KeyStore,
  intervalSeconds: number = LIMITS.devicePollSeconds,
) {
  return {
    hintOf: hintOnDevicePage,
    routes: deviceRoutes({
      store: createDeviceStore(db),
      keys,
      people,
      codes: createRateLimit(CODES_PER_MINUTE),
      tries: createRateLimit(TRIES_PER_MINUTE),
      polls: createRateLimit(POLLS_PER_MINUTE),
      intervalSeconds,
      baseUrl: config.baseUrl,
    }),
  };
}
