/** Text from the service, made harmless to a terminal: control characters would steer it. */
export function visible(text: string): string {
  return text.replaceAll('\r', '').replace(/(?![\n\t])\p{Cc}/gu, '\uFFFD');
}
