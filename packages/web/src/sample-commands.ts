/** Returns shell commands that sign the terminal in to this service and send a recorded session. */
export const sendSampleCommands = (): string =>
  `npx svc login --url ${location.origin} &&\nnpx svc traces send examples/first-trace`;
