/** With `--no`, npm fetches no package with the same name. */
export const sendSampleCommands = (): string =>
  `npx --no -- svc login --url ${location.origin} &&\nnpx --no -- svc traces send examples/first-trace`;
