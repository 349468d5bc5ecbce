/**
 * Value that an answer shows in place of a credential in an attribute. The service stores the attribute as it was sent, and
 * graders and measures read the stored value.
 */
export const MASKED_VALUE = "[credential masked by svc]";
