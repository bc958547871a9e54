/** Which holds whoever gets something made for a request may see: those set for it, and those for none. */
import type { BindingHold } from '../../holds/holds.js';
import type { RequestRecord } from '../../log/request-history.js';

export interface ShownHolds {
  readonly told: readonly BindingHold[];
  /** Set for other requests: whoever asks learns how many, and nothing of who asked or why. */
  readonly others: readonly BindingHold[];
}

/** @param request for which something is made; undefined: for none, which withholds nothing */
export function shownHolds(
  holds: readonly BindingHold[],
  request: Pick<RequestRecord, 'id'> | undefined,
): ShownHolds {
  const isTold = (hold: BindingHold): boolean =>
    request === undefined || hold.request === null || hold.request === request.id;
  return { told: holds.filter(isTold), others: holds.filter((hold) => !isTold(hold)) };
}

/** `1 hold of another matter binds user ada; it is not told here who asked for it, and why`; nothing of none. */
export function otherHoldsText(others: readonly BindingHold[], what: string): string[] {
  const count = others.filter(({ release }) => release === null).length;
  if (count === 0) return [];
  const isOne = count === 1;
  const holds = isOne ? '1 hold of another matter' : `${count} holds of other matters`;
  const binds = isOne ? 'binds' : 'bind';
  const it = isOne ? 'it' : 'them';
  return [`${holds} ${binds} ${what}; who asked for ${it}, and why, is not told here`];
}
