/** Who stands in the log for a hold, a request or an accepted gap. */
import { expect, it } from 'vitest';
import { recordedPerson } from '../../../../src/cli/input/access.js';

function recorded(by: string | undefined, login: string): [person: string, ...warnings: string[]] {
  const warnings: string[] = [];
  const logger = { warn: (_: object, message: string) => void warnings.push(message) };
  return [recordedPerson(by, logger, () => login), ...warnings];
}

it.each<[string | undefined, string, ReturnType<typeof recorded>]>([
  ['Grace Hopper', 'root', ['Grace Hopper']],
  [undefined, 'grace', ['grace']],
  [
    undefined,
    'root',
    ['root', 'recorded as done by root, which names no person; --by says who it was'],
  ],
])('of --by %s and the login name %s', (by, login, told) => {
  expect(recorded(by, login)).toEqual(told);
});
