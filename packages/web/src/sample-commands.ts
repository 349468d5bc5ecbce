/** With `--no`, npm does not download the unrelated package of the registry that has the name of this command. */
export const sendSampleCommands = (): string =>
  `npx --no -- svc login --url ${location.origin} &&\nnpx --no -- svc traces send examples/first-trace`;
