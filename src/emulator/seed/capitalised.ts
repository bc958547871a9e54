/** The text with its first letter as a capital, in scripts that have them. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
