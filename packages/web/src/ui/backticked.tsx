/** Shows a sentence of the service; the parts between backticks are code. */
export function Backticked({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
