/** What people write in the receipt of an erasure: it stays in the log for good, and must not name whom it erases. */
import { UsageError } from '../../base/error.js';
import { namedIn } from '../../archive/erasing/named-in.js';

interface ReceiptTexts {
  readonly reason: string | null;
  readonly by: string | null;
  /** Whether the reason is that of the request. */
  readonly isOfRequest: boolean;
}

/** @param ids of what is to be erased @throws {UsageError} a text names any of it */
export function assertNamesNobody(
  { reason, by, isOfRequest }: ReceiptTexts,
  ids: ReadonlySet<string>,
): void {
  const inReason = namedIn(reason, ids);
  if (inReason !== undefined) {
    const whose = isOfRequest ? 'the reason, which is that of the request,' : 'the reason';
    const instead = isOfRequest ? 'give --reason without it' : 'give a reason without it';
    throw new UsageError(`${whose} ${inWords(inReason)}; ${instead}`);
  }
  const inBy = namedIn(by, ids);
  if (inBy !== undefined) {
    throw new UsageError(
      `the name of the person who erases ${inWords(inBy)}; give --by without it, such as an initial or a number`,
    );
  }
}

function inWords(words: string): string {
  return `has “${words}”, which names what is to be erased, and the receipt stays for good`;
}
