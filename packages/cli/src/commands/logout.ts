import { command } from "../command.ts";
import { profileFile, profileName, removeProfile } from "../profile.ts";

export default command({
  description: "The keys stay live at the service; revoke them with `svc keys revoke`.",
  examples: ["<%= config.bin %> logout", "<%= config.bin %> logout --profile staging"],
  async run({ flags }) {
    const profile = profileName(flags.profile);
    return { profile, file: profileFile(), removed: await removeProfile(profile) };
  },
  show: ({ profile, removed }) =>
    removed ? `Removed the profile "${profile}".` : `There is no profile "${profile}"; nothing was changed.`,
});
