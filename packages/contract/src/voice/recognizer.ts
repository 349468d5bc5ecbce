/** The provider and the model of a look-up of capabilities without a speech-to-text model. */
export const NO_RECOGNIZER = "none";
