/**
 * Returns shell commands that sign the terminal in to this service and send a recorded session. With `--no`, npm fetches no package of
 * the same name.
 */
export const sendSampleCommands = (): string =>
  `npx --no -- svc login --url ${location.origin} &&\nnpx --no -- svc traces send examples/first-trace`;
