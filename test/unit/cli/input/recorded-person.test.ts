/** Who stands in the log for a hold, a request, an accepted gap or an erasure. */
import { expect, it } from 'vitest';
import { recordedPerson } from '../../../../src/cli/input/recorded-person.js';

const ROOT = 'recorded as done by root, which names no person; --by says who it was';

it.each<[string | undefined, string, string, ...string[]]>([
  ['Grace Hopper', 'root', 'Grace Hopper'],
  [undefined, 'grace', 'grace'],
  [undefined, 'root', 'root', ROOT],
])('of --by %s and the login name %s', (by, login, name, ...told) => {
  const warnings: string[] = [];
  const logger = { warn: (_: object, message: string) => void warnings.push(message) };
  const person = recordedPerson(by, () => login);
  expect([person.name, ...warnings]).toEqual([name]);
  person.recorded(logger);
  expect(warnings).toEqual(told);
});
