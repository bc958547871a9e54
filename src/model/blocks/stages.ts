/** The stages of an answer, in one spelling, however the service sends them. */

/** Steps on the way to the answer. */
export const ANALYZE = 'Analyze';
/** The answer itself. */
export const RESPOND = 'Respond';

/** @returns a stage that is not known as it was sent, null for what is no text */
export function stageOf(sent: unknown): string | null {
  if (typeof sent !== 'string') return null;
  return [ANALYZE, RESPOND].find((stage) => stage.toLowerCase() === sent.toLowerCase()) ?? sent;
}
