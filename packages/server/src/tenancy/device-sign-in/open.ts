import { LIMITS } from "@svc/contract";
import type { PeopleStore } from "../accounts/store/people.ts";
import type { KeyStore } from "../api-keys/store.ts";
import type { ServiceContext } from "../../context.ts";
import { createLimit } from "../../http/shared-rate-limit.ts";
import { deviceRoutes, hintOnDevicePage } from "./routes.ts";
import { createDeviceStore } from "./store.ts";

const CODES_PER_MINUTE = 30;
const TRIES_PER_MINUTE = 30;
const POLLS_PER_MINUTE = 240;

export function openDeviceSignIn(
  { config, db }: ServiceContext,
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
      codes: createLimit(db, "device codes", CODES_PER_MINUTE),
      tries: createLimit(db, "device tries", TRIES_PER_MINUTE),
      polls: createLimit(db, "device polls", POLLS_PER_MINUTE),
      intervalSeconds,
      baseUrl: config.baseUrl,
    }),
  };
}
