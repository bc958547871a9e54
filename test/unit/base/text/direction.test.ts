import { expect, it } from 'vitest';
import { directionOf, visibleDirections, visibleId } from '../../../../src/base/text/direction.js';

it('what turns the direction of a text is shown, and everything else stays', () => {
  expect(visibleDirections('a\u202egnp.exe\u202c \u2066b\u2069')).toBe(
    'a\\u202egnp.exe\\u202c \\u2066b\\u2069',
  );
  const text =
    'שלום\u200f \u{1f469}\u200d\u{1f4bb} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645';
  expect(visibleDirections(text)).toBe(text);
});

it('an id shows every character that cannot be seen', () => {
  expect(visibleId('ada\u200b@x\u00ad\u{e0041}')).toBe('ada\\u200b@x\\u00ad\\u{e0041}');
  expect(visibleId('Zoë 日本')).toBe('Zoë 日本');
});

it('the direction of a text is that of its first letter', () => {
  expect(['12 שלום', 'مرحبا x', 'x مرحبا', '12 %'].map(directionOf)).toEqual([
    'rtl',
    'rtl',
    'ltr',
    undefined,
  ]);
});
