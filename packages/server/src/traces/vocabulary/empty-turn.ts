/** Members of a turn that most senders do not report, all null for unknown. */
export const EMPTY_TURN = {
  heardText: null,
  agentName: null,
  interrupted: null,
  speechId: null,
  confidence: null,
};
