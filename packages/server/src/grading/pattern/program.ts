/** A step of a compiled expression. `to` and `or` are indexes of the next steps; `to` is preferred. */
type Step =
  | { kind: "character"; matches: (character: string) => boolean }
  | { kind: "fork"; to: number; or: number }
  | { kind: "jump"; to: number }
  | { kind: "assert"; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { kind: "match" };

export type Program = readonly Step[];

export type PatternNode =
  | { kind: "character"; matches: (character: string) => boolean }
  | { kind: "assert"; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { kind: "sequence"; parts: PatternNode[] }
  | { kind: "choice"; options: PatternNode[] }
  | { kind: "repeat"; part: PatternNode; least: number; most: number; lazy: boolean };

const STEPS_MAX = 500;

/** Compiles an expression. A repetition with a number, such as `a{3}`, becomes that many copies. */
export function compile(pattern: PatternNode): Program | undefined {
  if (stepsOf(pattern) > STEPS_MAX) return undefined;
  const program: Step[] = [];
  write(pattern, program);
  program.push({ kind: "match" });
  return program;
}

function stepsOf(node: PatternNode): number {
  switch (node.kind) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + stepsOf(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + stepsOf(option) + 2, 0);
    case "repeat":
      return (stepsOf(node.part) + 2) * (node.most === Infinity ? node.least + 1 : node.most);
    default:
      return 1;
  }
}

function write(node: PatternNode, program: Step[]): void {
  switch (node.kind) {
    case "sequence":
      for (const part of node.parts) write(part, program);
      return;
    case "choice":
      return writeChoice(node.options, program);
    case "repeat":
      return writeRepeat(node, program);
    default:
      program.push(node);
  }
}

function writeChoice(options: readonly PatternNode[], program: Step[]): void {
  const ends: { kind: "jump"; to: number }[] = [];
  options.forEach((option, index) => {
    if (index === options.length - 1) return write(option, program);
    const fork = { kind: "fork" as const, to: program.length + 1, or: 0 };
    program.push(fork);
    write(option, program);
    const end = { kind: "jump" as const, to: 0 };
    program.push(end);
    ends.push(end);
    fork.or = program.length;
  });
  for (const end of ends) end.to = program.length;
}

function writeRepeat({ part, least, most, lazy }: PatternNode & { kind: "repeat" }, program: Step[]): void {
  for (let i = 0; i < least; i++) write(part, program);
  const optional = (then: () => void) => {
    const fork = { kind: "fork" as const, to: 0, or: 0 };
    const into = program.length + 1;
    program.push(fork);
    then();
    [fork.to, fork.or] = lazy ? [program.length, into] : [into, program.length];
  };
  if (most === Infinity) {
    const start = program.length;
    optional(() => {
      write(part, program);
      program.push({ kind: "jump", to: start });
    });
    return;
  }
  const rest = (times: number): void => {
    if (times > 0)
      optional(() => {
        write(part, program);
        rest(times - 1);
      });
  };
  rest(most - least);
}
