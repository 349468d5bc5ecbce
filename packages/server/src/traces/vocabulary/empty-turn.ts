/** Facts about a turn that most senders do not report. All are unknown. */
export const EMPTY_TURN = {
  heardText: null,
  agentName: null,
  interrupted: null,
  speechId: null,
  confidence: null,
};
