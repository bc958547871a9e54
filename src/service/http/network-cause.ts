/** What broke a connection, without anything that came over it. */
import { codeOf, messageOf } from '../../base/error.js';

/** Keeps a low-level error's name, message and code, redacted; its other fields may hold raw bytes of the answer. */
export class NetworkCause extends Error {
  override readonly name: string;
  readonly code: string | undefined;

  constructor(thrown: unknown, redact: (text: string) => string) {
    super(redact(messageOf(thrown) || (codeOf(thrown) ?? 'unknown')));
    this.name = thrown instanceof Error ? thrown.name : 'Error';
    this.code = codeOf(thrown);
  }
}
