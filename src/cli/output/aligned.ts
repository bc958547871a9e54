/** Formats lines of a report: aligned labels on the left, texts on the right. */
export function aligned(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([word]) => word.length));
  return lines.map(([word, text]) => `  ${word.padEnd(width)}  ${text}\n`).join('');
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
