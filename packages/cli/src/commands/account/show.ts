import { command } from "../../command.ts";
import { facts, table } from "../../terminal/output.ts";
import { asPerson, personFlags } from "../../session/sign-in.ts";
import { moment } from "../../terminal/times.ts";

export default command({
  summary: "Show your account, your organizations and your sessions",
  examples: ["<%= config.bin %> account show --email ada@example.com"],
  flags: personFlags(),
  run: (invocation) =>
    asPerson(invocation, async ({ client }, { user, organizations }) => {
      const { sessions } = await client.accounts.listSessions();
      return { user, organizations, sessions: sessions.filter(({ current }) => !current) };
    }),
  show: ({ user, organizations, sessions }) =>
    [
      facts([
        ["name", user.name],
        ["e-mail", user.email],
        ["id", user.id],
      ]),
      table(
        organizations,
        [
          { title: "organization", cell: ({ name }) => name },
          { title: "role", cell: ({ role }) => role },
          { title: "id", cell: ({ id }) => id, spare: 1 },
        ],
        "",
      ),
      table(
        sessions,
        [
          { title: "signed in", cell: ({ created_at }) => moment(created_at) },
          { title: "with", cell: ({ user_agent }) => user_agent ?? "" },
          { title: "session", cell: ({ id }) => id, spare: 1 },
        ],
        "You are signed in nowhere else.",
      ),
    ].join("\n\n"),
});
