import { commandIds, loadCommand, summaryOf, TOPICS } from "../commands.ts";

type Flag = { name: string; options: readonly string[]; takesValue: boolean; description: string };
type CompletedCommand = { words: string; flags: Flag[] };

export async function completionScript(shell: "bash" | "zsh" | "fish"): Promise<string> {
  const topics = Object.keys(TOPICS);
  const ids = [...commandIds(), ...topics.flatMap((topic) => commandIds(topic))];
  const commands = await Promise.all(ids.map(completedCommand));
  if (shell === "fish") return fishScript(topics, ids, commands);
  const script = bashScript(topics, commands);
  return shell === "bash"
    ? script
    : `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

async function completedCommand(id: string): Promise<CompletedCommand> {
  const { flags = {}, baseFlags = {} } = await loadCommand(id);
  const all = Object.entries({ ...flags, ...baseFlags }).flatMap(([name, flag]) => {
    const one = {
      name: `--${name}`,
      options: "options" in flag ? ((flag.options as string[] | undefined) ?? []) : [],
      takesValue: flag.type === "option",
      description: flag.description ?? "",
    };
    return "allowNo" in flag && flag.allowNo ? [one, { ...one, name: `--no-${name}` }] : [one];
  });
  return { words: id.replace(":", " "), flags: all };
}

/** zsh runs this function for bash with `bashcompinit`. */
function bashScript(topics: readonly string[], commands: readonly CompletedCommand[]): string {
  const first = [...new Set([...commands.map(({ words }) => words.split(" ")[0]!), "help"])].sort();
  const seconds = topics.map((topic) => {
    const words = commands.flatMap((one) =>
      one.words.startsWith(`${topic} `) ? one.words.slice(topic.length + 1) : [],
    );
    return `      ${topic}) words="${words.join(" ")}" ;;`;
  });
  const options = commands.flatMap(({ words, flags }) =>
    flags
      .filter((flag) => flag.options.length > 0)
      .map((flag) => `    "${words} ${flag.name}") words="${flag.options.join(" ")}" ;;`),
  );
  const flags = commands.map(
    ({ words, flags: all }) => `    "${words}") words="${all.map(({ name }) => name).join(" ")}" ;;`,
  );
  return `_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" words="" command=""
  [ "$COMP_CWORD" -gt 0 ] && previous="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$first" in
    ${topics.join("|")}) command="$first $second" ;;
    *) command="$first" ;;
  esac
  if [ "$first" = capabilities ] && [ "$second" != models ]; then command="capabilities"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${first.join(" ")}"
  elif [ "$COMP_CWORD" -eq 2 ] && [ "\${current#-}" = "$current" ]; then
    case "$first" in
${seconds.join("\n")}
    esac
  else
    case "$command $previous" in
${options.join("\n")}
    esac
    if [ -z "$words" ] && [ "\${current#-}" != "$current" ]; then
      case "$command" in
${flags.join("\n")}
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc svc`;
}

function fishScript(topics: readonly string[], ids: readonly string[], commands: readonly CompletedCommand[]): string {
  const lines = ["complete -c svc -f"];
  for (const topic of topics)
    lines.push(`complete -c svc -n __fish_use_subcommand -a ${topic} -d ${quoted(TOPICS[topic]!)}`);
  for (const [at, { words, flags }] of commands.entries()) {
    const [first, second] = words.split(" ");
    const summary = quoted(summaryOf(ids[at]!));
    const seen = `__fish_seen_subcommand_from ${first}`;
    if (second === undefined) lines.push(`complete -c svc -n __fish_use_subcommand -a ${first} -d ${summary}`);
    else
      lines.push(`complete -c svc -n '${seen}; and test (count (commandline -opc)) -eq 2' -a ${second} -d ${summary}`);
    const condition = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`;
    for (const { name, options, takesValue, description } of flags) {
      const values = options.length > 0 ? ` -a '${options.join(" ")}'` : "";
      const value = takesValue ? " -r" : "";
      lines.push(`complete -c svc -n '${condition}' -l ${name.slice(2)}${value}${values} -d ${quoted(description)}`);
    }
  }
  return lines.join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
