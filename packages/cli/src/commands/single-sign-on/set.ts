import { Flags } from "@oclif/core";
import { command } from "../../command.ts";
import { askSecret } from "../../terminal/prompt.ts";

export default command({
  summary: "Set the identity provider with which members sign in",
  description:
    "Reads the provider's description at once, and refuses a provider that the service cannot use. The client secret comes from a hidden prompt, SVC_CLIENT_SECRET or standard input; the service seals it. With --keep-secret, the present secret stays. Needs an organization key of an admin.",
  examples: [
    "<%= config.bin %> single-sign-on set --issuer https://login.example.com --client-id svc --domain example.com < secret.txt",
    "<%= config.bin %> single-sign-on set --issuer https://login.example.com --client-id svc --domain example.com --require --keep-secret",
  ],
  flags: {
    issuer: Flags.string({ description: "Address of the provider.", required: true, helpValue: "<url>" }),
    "client-id": Flags.string({ description: "Id of this service at the provider.", required: true }),
    domain: Flags.string({
      description: "Domain of the members' e-mail addresses. Repeat the flag for several.",
      multiple: true,
      multipleNonGreedy: true,
      required: true,
      helpValue: "<domain>",
    }),
    require: Flags.boolean({
      description: "Members and viewers act in the organization only after a sign-in with the provider.",
    }),
    "join-as": Flags.option({
      options: ["member", "viewer"] as const,
      description: "People of these domains without an account become members with this role.",
    })(),
    "keep-secret": Flags.boolean({ description: "Keep the present client secret." }),
  },
  async run({ startSession, flags: { issuer, "client-id": clientId, domain, require, ...flags } }) {
    const clientSecret = flags["keep-secret"]
      ? undefined
      : process.env.SVC_CLIENT_SECRET || (await askSecret("Client secret", fault));
    const { client } = await startSession();
    const joinRole = flags["join-as"];
    const wanted = { issuer, clientId, clientSecret, domains: domain, required: require === true, joinRole };
    return (await client.singleSignOn.set(wanted)).singleSignOn;
  },
  show: ({ issuer, domains }) =>
    `Members with an address of ${domains.join(", ")} can sign in with ${issuer}. The redirect URI and the sign-in address: svc single-sign-on show`,
});

const fault = (secret: string) => (secret === "" ? "The client secret is empty." : undefined);
