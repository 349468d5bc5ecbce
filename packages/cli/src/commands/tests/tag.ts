import { Args } from "@oclif/core";
import { command } from "../../command.ts";
import { argument, repeatedFlag } from "../../flags.ts";
import { idOf } from "../../look-up.ts";
import { usage } from "../../refusal.ts";

export default command({
  summary: "Add tags to a test, or remove them",
  description:
    "`svc runs start --tag` and `svc tests list --tag` select tests by their tags. Tags are not part of a test's content, so a change of tags creates no version.",
  examples: [
    '<%= config.bin %> tests tag "Books a slot" smoke',
    '<%= config.bin %> tests tag "Books a slot" nightly --remove smoke',
  ],
  args: {
    test: argument("Id or exact name of the test."),
    tags: Args.string({
      description: "Tag to add: one word of at most 50 characters.",
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: { remove: repeatedFlag("Remove this tag.", "<tag>") },
  async run({ args, flags, startSession }) {
    const added = [args.tags ?? []].flat();
    const { remove = [] } = flags;
    if (added.length + remove.length === 0) throw usage("Nothing to change. Name a tag to add, or set --remove TAG.");
    const session = await startSession();
    const { client, projectId: project } = session;
    const testId = await idOf(session, "test", args.test);
    const { tags } = await client.tests.get({ testId, project });
    const next = [...tags, ...added].filter((tag) => !remove.includes(tag));
    return client.tests.setTags({ testId, tags: [...new Set(next)], project });
  },
  show: ({ name, tags }) => `"${name}" has ${tags.length === 0 ? "no tags" : `the tags ${tags.join(", ")}`}.`,
});
