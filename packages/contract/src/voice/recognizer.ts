/** Value of `sttProvider` and `sttModel` in a request for capabilities without a speech-to-text model. */
export const NO_RECOGNIZER = "none";
