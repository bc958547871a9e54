import { expect, it } from 'vitest';
import { mendBareNumbers } from '../../../../src/base/text/bare-numbers.js';
import { pathAt } from '../../../../src/model/json-parts.js';

it.each(['NaN', 'Infinity', '-Infinity'])(
  '%s becomes a zero of the same length, and is told with its place',
  (written) => {
    const text = `{"a": [1, ${written}], "b": "NaN \\" Infinity"}`;
    const mended = mendBareNumbers(text);
    expect(mended?.bareNumbers).toEqual([{ at: 10, written }]);
    expect(mended?.text).toHaveLength(text.length);
    expect(JSON.parse(mended?.text ?? '')).toEqual({
      a: [1, written.startsWith('-') ? -0 : 0],
      b: 'NaN " Infinity',
    });
  },
);

it.each(['{"a":"NaN"}', '{"a":1}', 'no JSON', '{"NaN', ''])(
  'a text without any is left alone: %s',
  (text) => {
    expect(mendBareNumbers(text)).toBeUndefined();
  },
);

it.each([
  ['{"a":{"b":[0,{"c":~}]}}', 'a.b[1].c'],
  ['{"x":"a:{[,","y z":[[1,2],[3,~]]}', 'y z[1][1]'],
  ['[1,[],{"a":1},~]', '[3]'],
  ['{"\\u0061":{"a":1,"b" : ~}}', 'a.b'],
  ['~', ''],
])('the place of a value in %s is %s', (text, path) => {
  expect(pathAt(text.replace('~', '0'), text.indexOf('~'))).toBe(path);
});
