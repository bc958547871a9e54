import { expect, it } from 'vitest';
import { dataScript } from '../../../src/report/data-script.js';

it('a data file is a script that hands over what went in, and that nothing in it can end', () => {
  const data = ['</script><!--', '\u2028\u2029', '__proto__', '\'"`\\', '\ud800'];
  const script = Buffer.from(dataScript('a/1', data)).toString();
  expect(script).not.toMatch(/[<>\u2028\u2029]/);
  const arrived: unknown[] = [];
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what a browser does with it
  new Function('jobvaultData', script)((...given: unknown[]) => arrived.push(...given));
  expect(arrived).toEqual(['a/1', data]);
});
