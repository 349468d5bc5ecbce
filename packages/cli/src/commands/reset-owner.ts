import { Flags } from "@oclif/core";
import { command } from "../command.ts";
import { dataDirFlag, dataDirOf } from "../service/data-folder.ts";
import { resetOwner } from "../service/reset-owner.ts";
import { moment } from "../terminal/times.ts";

export default command({
  summary: "Create a one-time address for an owner who lost the password, the second factor and all keys",
  description:
    "Works on the data folder of a stopped service, or on the databases of SVC_DATABASE_URL and SVC_CLICKHOUSE_URL, with the settings of the service. The command needs no key, because whoever can change the folder owns the service. It also removes the second factor of the owner, and turns off the organization's requirement of single sign-on. Prints only the address on standard output. Start the service, open the address, and choose a password.",
  examples: [
    "<%= config.bin %> reset-owner --data-dir /var/lib/svc",
    "<%= config.bin %> reset-owner --email ada@example.com",
  ],
  flags: {
    ...dataDirFlag,
    email: Flags.string({ description: "E-mail address of an admin. Default: the first admin of the service." }),
  },
  async run({ flags, note }) {
    const settings = { ...process.env, SVC_DATA_DIR: dataDirOf(flags["data-dir"]) };
    const reset = await resetOwner(settings, { email: flags.email });
    if (!flags.json)
      note(
        `${reset.name} (${reset.email}) of "${reset.organization}" sets a new password at this address, once, until ${moment(reset.expiresAt)}. Whoever opens it gets the account.`,
      );
    return reset;
  },
  show: ({ address }) => address,
});
