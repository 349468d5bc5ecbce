import { command } from "../command.ts";
import { profileFile, profileName, removeProfile } from "../session/profile.ts";

export default command({
  summary: "Remove the profile and its keys",
  description: "The service still accepts the keys. Revoke them with `svc keys revoke`.",
  examples: ["<%= config.bin %> logout", "<%= config.bin %> logout --profile staging"],
  async run({ flags }) {
    const profile = profileName(flags.profile);
    return { profile, file: profileFile(), removed: await removeProfile(profile) };
  },
  show: ({ profile, removed }) =>
    removed ? `Removed the profile "${profile}".` : `There is no profile "${profile}". Nothing was changed.`,
});
