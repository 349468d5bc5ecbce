import { Flags } from "@oclif/core";
import { KEY_PERMISSION_NAMES, KEY_PERMISSIONS } from "@svc/contract/constants";
import { command } from "../../command.ts";
import { usage } from "../../refusal.ts";
import { idOf } from "../../look-up.ts";
import { laterInstant, moment } from "../../terminal/times.ts";

const permissions = Object.entries(KEY_PERMISSIONS);
const meanings = permissions.map(([name, { meaning }]) => `${name}: ${meaning}`);
const namesWidth = Math.max(...KEY_PERMISSION_NAMES.map((name) => name.length));

const WITHOUT_PERMISSIONS = `Say with --permissions what the key may do. For a worker, which only sends conversations:
  svc keys create --name worker --permissions ingest --project NAME
For everything that you may do yourself, write \`--permissions admin\`. The permissions are:
${permissions.map(([name, { meaning }]) => `  ${name.padEnd(namesWidth)}  ${meaning}`).join("\n")}`;

export default command({
  summary: "Create an API key",
  description: `Prints only the secret on standard output. The service does not show it again. With --project, the key works in that project only, and trace ingest needs such a key. Your own key needs the permission admin. The permissions are: ${meanings.join(" ")}`,
  examples: [
    'export SVC_API_KEY=$(<%= config.bin %> keys create --name worker --permissions ingest --project "Front desk")',
    "<%= config.bin %> keys create --name ci --permissions test,ingest --expires 90d --project Default",
    "<%= config.bin %> keys create --name laptop --permissions admin",
  ],
  flags: {
    name: Flags.string({ description: "Name of the key." }),
    permissions: Flags.string({
      description: `Required. What the key may do: one or several of ${KEY_PERMISSION_NAMES.join(", ")}, with commas between them. With admin, it may do all that your role allows.`,
      helpValue: "<names>",
    }),
    expires: Flags.string({
      description: "When the key stops working: a time from now such as 90d, 24h or 30m, or a date. Default: never.",
      helpValue: "<time>",
    }),
  },
  async run({ startSession, flags, note }) {
    if (flags.permissions === undefined) throw usage(WITHOUT_PERMISSIONS);
    const wanted = permissionsIn(flags.permissions);
    const expires_at = flags.expires === undefined ? undefined : laterInstant(flags.expires);
    const session = await startSession();
    const project_id = flags.project === undefined ? undefined : await idOf(session, "project", flags.project);
    const key = await session.client.keys.create({ name: flags.name, project_id, permissions: wanted, expires_at });
    if (!flags.json) {
      const reach = key.scope === "project" ? `project ${flags.project}` : "the whole organization";
      const end = key.expires_at === null ? "without an end" : `until ${moment(key.expires_at)}`;
      note(
        `Created ${key.id} (${reach}, ${key.permissions.join(" and ")}, ${end}). Store the secret now: it is not shown again.`,
      );
    }
    return key;
  },
  show: ({ secret }) => secret,
});

function permissionsIn(text: string) {
  const names = text.split(",").map((name) => name.trim());
  return names.map((name) => {
    const known = KEY_PERMISSION_NAMES.find((one) => one === name);
    if (known === undefined)
      throw usage(`"${name}" is not a permission. Write one or several of ${KEY_PERMISSION_NAMES.join(", ")}.`);
    return known;
  });
}
