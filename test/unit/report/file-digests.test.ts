import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { FileDigests } from '../../../src/report/file-digests.js';

it('digests are listed by path, each once, the last that came, without what has left', () => {
  const digests = new FileDigests();
  const names = Array.from({ length: 3000 }, (_, at) => `data/s/${3000 - at}.js`);
  for (const name of names) digests.set(name, sha256Hex(name));
  digests.delete('data/s/7.js');
  digests.delete('data/s/8.js');
  digests.set('data/s/8.js', sha256Hex('again'));

  const expected = names
    .filter((name) => name !== 'data/s/7.js')
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => `${sha256Hex(name === 'data/s/8.js' ? 'again' : name)}  ${name}`);
  expect([...digests.lines()]).toEqual(expected);
});
