import { expect, it } from 'vitest';
import { withoutData } from '../../../../src/model/urls/file-url.js';

it('a text is read without the bytes of its pictures', () => {
  const data = 'BwcH'.repeat(1000);
  expect(withoutData(`See ![a](data:image/png;base64,${data}) and data:,x`)).toBe(
    'See ![a](data:image/png;base64,…(3.0 KB)) and data:,x',
  );
  expect(withoutData('the word base64, and more')).toBe('the word base64, and more');
});
