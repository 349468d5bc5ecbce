/** Returns the commands that sign a terminal in to this service and send a recorded session. */
export const sendSampleCommands = (): string =>
  `npx svc login --url ${location.origin} &&\nnpx svc traces send examples/first-trace`;
