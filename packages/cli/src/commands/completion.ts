import { Args } from "@oclif/core";
import { command } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export default command({
  summary: "Print the completion of commands and flags for a shell",
  description:
    "Load the script in the shell's start-up file, and run the command again after an update of svc. It completes commands, their flags and the values of flags that have a fixed choice.",
  examples: [
    'echo "source <(svc completion bash)" >> ~/.bashrc',
    'echo "source <(svc completion zsh)" >> ~/.zshrc',
    "<%= config.bin %> completion fish > ~/.config/fish/completions/svc.fish",
  ],
  args: {
    shell: Args.string({ description: "The shell.", options: [...SHELLS], required: true, ignoreStdin: true }),
  },
  async run({ args }) {
    const { completionScript } = await import("../completion/script.ts");
    return { script: await completionScript(args.shell as (typeof SHELLS)[number]) };
  },
  show: ({ script }) => script,
});
