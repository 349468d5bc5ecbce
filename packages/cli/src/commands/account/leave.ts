import { command } from "../../command.ts";
import { argument, yesFlag } from "../../flags.ts";
import { asPerson, organizationNamed, personFlags } from "../../session/sign-in.ts";

export default command({
  summary: "Leave an organization",
  description:
    "Your keys and sessions in the organization end. If you belong to no other organization, you lose the account. The last admin cannot leave. Asks for confirmation.",
  examples: ['<%= config.bin %> account leave "Acme" --email ada@example.com'],
  args: { organization: argument("Id or exact name of the organization.") },
  flags: { email: personFlags().email, yes: yesFlag() },
  run: (invocation) =>
    asPerson(invocation, async ({ client }, account) => {
      const { id, name } = organizationNamed(account, invocation.args.organization);
      await invocation.confirm(`Leave "${name}"? Your keys in it end.`);
      await client.accounts.switchOrganization({ organization_id: id });
      await client.accounts.leaveOrganization();
      return { left: { id, name } };
    }),
  show: ({ left }) => `Left "${left.name}".`,
});
