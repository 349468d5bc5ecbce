import type { Config } from "../../base/config/config.ts";
import type { Routes } from "../../http/operation.ts";

/** Returns the route that answers whether the instance is claimed, whether sign-up is open and whether there is mail. */
export function instanceRoutes(config: Config, isClaimed: () => Promise<boolean>): Routes<"instance"> {
  return {
    instance: {
      get: async () => ({
        claimed: await isClaimed(),
        open_sign_up: config.openSignUp,
        mail: config.smtpUrl !== undefined,
      }),
    },
  };
}
