/**
 * Copies a text. Browsers offer their clipboard only to pages on HTTPS or on this machine; elsewhere the text is selected in a
 * field beside `near` and copied from there.
 */
export async function copyText(text: string, near: HTMLElement): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "visually-hidden";
  near.after(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  near.focus();
}
