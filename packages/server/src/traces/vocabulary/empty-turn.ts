export const EMPTY_TURN = {
  heardText: null,
  agentName: null,
  interrupted: null,
  speechId: null,
  confidence: null,
};
