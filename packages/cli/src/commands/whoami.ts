import { command } from "../command.ts";
import { facts } from "../terminal/output.ts";
import { profileName } from "../session/profile.ts";
import { ago, moment } from "../terminal/times.ts";

export default command({
  summary: "Show whose key this machine uses, and what it may do",
  description:
    "Shows the service, the person, the organization, the role, the key and the project that commands use, and where each setting comes from.",
  examples: ["<%= config.bin %> whoami", "<%= config.bin %> whoami --profile staging --json"],
  async run({ flags, startSession }) {
    const { client, url, urlFrom, keyFrom, projectId } = await startSession();
    const { identity } = await client.identity.get();
    const { projects } = await client.projects.list({ pageSize: 200 });
    const chosen = projects.find(({ id, name }) => id === projectId || name === projectId);
    return {
      ...identity,
      url,
      urlFrom,
      keyFrom,
      profile: profileName(flags.profile),
      chosenProject: chosen ? { id: chosen.id, name: chosen.name } : null,
      projectCount: projects.length,
    };
  },
  show({ user, organization, role, key, project, url, urlFrom, keyFrom, profile, chosenProject, projectCount }) {
    const scope = project === null ? "the whole organization" : `only the project "${project.name}"`;
    const used = project ?? chosenProject;
    const choice = projectCount === 1 ? "the only one" : "none is chosen: set --project or SVC_PROJECT";
    return facts([
      ["Person", `${user.name} (${user.email})`],
      ["Organization", organization.name],
      ["Role", role],
      ["Key", key ? `${key.looks_like}${key.name === null ? "" : ` "${key.name}"`}, for ${scope}` : undefined],
      ["Key may", key?.permissions.join(", ")],
      ["Key expires", key?.expires_at ? moment(key.expires_at) : undefined],
      ["Key from", keyFrom],
      ["Key used", key?.last_used_at ? ago(key.last_used_at) : undefined],
      ["Project", used ? used.name : choice],
      ["Service", `${url} (${urlFrom})`],
      ["Profile", profile],
    ]);
  },
});
