import { readVersion } from "../../assets.ts";
import type { Config } from "../../base/config/config.ts";
import type { Routes } from "../../http/operation.ts";
import { checkDependencies, type Dependencies } from "./check-dependencies.ts";

export function serviceRoutes(config: Config, serviceUrl: string, dependencies: Dependencies): Routes<"service"> {
  const version = readVersion();
  return {
    service: {
      check: async ({ caller }) => ({ checks: await checkDependencies(dependencies, caller.organizationId) }),

      async get({ caller, http: { response } }) {
        const model = await dependencies.modelOf(caller.organizationId);
        return {
          service: {
            version,
            baseUrl: serviceUrl,
            languageModel: model ? { model: model.model, hasPrices: model.hasPrices } : null,
            mail: config.smtpUrl !== undefined,
            openSignUp: config.openSignUp,
            outboundPrivate: config.outboundPrivate,
            retentionDays: config.retentionDays ?? null,
            auditRetentionDays: config.auditRetentionDays,
            rateLimit: {
              perMinute: config.rateLimitPerMinute,
              remaining: Number(response.get("RateLimit-Remaining")),
              resetSeconds: Number(response.get("RateLimit-Reset")),
            },
            ingestPerMinute: config.ingestRateLimitPerMinute ?? null,
          },
        };
      },
    },
  };
}

export function instanceRoutes(
  config: Config,
  isClaimed: () => Promise<boolean>,
  hasSingleSignOn: () => Promise<boolean>,
): Routes<"instance"> {
  return {
    instance: {
      get: async () => ({
        claimed: await isClaimed(),
        open_sign_up: config.openSignUp,
        mail: config.smtpUrl !== undefined,
        single_sign_on: await hasSingleSignOn(),
      }),
    },
  };
}
