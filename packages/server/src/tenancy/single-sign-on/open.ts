import type { ServiceContext } from "../../context.ts";
import { createProviders } from "./provider.ts";
import { type SingleSignOnNeeds, singleSignOnRoutes } from "./routes.ts";
import { createSingleSignOnStore } from "./store.ts";

export function openSingleSignOn({ config, db, sealed, sessions }: ServiceContext, needs: SingleSignOnNeeds) {
  const store = createSingleSignOnStore(db, sealed);
  const providers = createProviders(config.outboundPrivate ? "allow" : "refuse");
  const { openSignUp, baseUrl } = config;
  return {
    hasAny: store.hasAny,
    routes: singleSignOnRoutes({ ...needs, db, store, providers, sessions, openSignUp, baseUrl }),
  };
}
