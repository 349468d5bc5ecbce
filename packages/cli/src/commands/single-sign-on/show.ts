import { command } from "../../command.ts";
import { facts } from "../../terminal/output.ts";

export default command({
  summary: "Show the identity provider of the organization",
  description:
    "Also shows the redirect URI to enter at the provider, and the address on which members sign in. Needs an organization key of an admin.",
  examples: ["<%= config.bin %> single-sign-on show"],
  async run({ startSession }) {
    const { client } = await startSession();
    return client.singleSignOn.get();
  },
  show: ({ singleSignOn: provider, redirectUri, signInAddress }) =>
    [
      ...(provider === null
        ? ["No identity provider. To set one: svc single-sign-on set --issuer <url> --client-id <id> --domain <domain>"]
        : [
            facts([
              ["issuer", provider.issuer],
              ["client id", provider.clientId],
              ["domains", provider.domains.join(", ")],
              ["required", provider.required ? "yes, but for admins" : "no"],
              ["strangers join as", provider.joinRole ?? "nobody: only members sign in"],
            ]),
          ]),
      facts([
        ["redirect URI", redirectUri],
        ["sign-in", signInAddress],
      ]),
    ].join("\n\n"),
});
