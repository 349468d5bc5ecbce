/**
 * Value in answers that replaces a credential in an attribute. The service stores the original attribute; graders and measures read
 * the original value.
 */
export const MASKED_VALUE = "[credential masked by svc]";
