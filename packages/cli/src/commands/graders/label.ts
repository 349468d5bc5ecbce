import { Args, Flags } from "@oclif/core";
import { argument, command } from "../../command.ts";
import { gradeText } from "../../grade-text.ts";

export default command({
  description:
    "Says what the verdict of a grade should be. It changes no verdict; `svc graders agreement` tells how far a grader can be trusted. Your last label of a grade counts.",
  examples: [
    "<%= config.bin %> graders label gra_06ft2v8xk3n9q4w7r1y5z0abcd failed",
    '<%= config.bin %> graders label gra_06ft2v8xk3n9q4w7r1y5z0abcd passed --note "It was booked by mail."',
  ],
  args: {
    id: argument("Id of the grade, from `svc traces grades TRACE_ID`, of production and of simulations."),
    verdict: Args.string({
      description: "What it should be.",
      options: ["passed", "failed"],
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: { note: Flags.string({ description: "Why." }) },
  async run({ args, connect, flags: { note } }) {
    const { client, project: projectId } = await connect();
    const verdict = args.verdict as "passed" | "failed";
    return (await client.grades.label({ gradeId: args.id, verdict, note, projectId })).grade;
  },
  show: gradeText,
});
