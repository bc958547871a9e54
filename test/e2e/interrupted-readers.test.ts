/** A command that only reads ends when it is told to, whatever it still waits for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { MAIN } from '../support/programs/cli-process.js';
import { SearchRig } from '../support/rigs/search-rig.js';
import { fault } from '../support/base/fault.js';

it('ends at SIGTERM with 143 though nobody reads what it prints', fault('F-84'), async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Long', [{ answer: 'Words without end. '.repeat(100_000) }]);
  await people.rig.export();
  const program = spawn(process.execPath, [MAIN, 'show', people.rig.out, 's-1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // the first bytes are there, the rest waits for a reader that never comes
  await once(program.stdout, 'readable');
  program.kill('SIGTERM');
  const [code] = (await once(program, 'exit')) as [number | null];
  expect(code).toBe(143);
});
