import { expect, it } from 'vitest';
import { isUniqueId } from '../../../src/model/unique-id.js';

it.each([
  ['a cuid', 'cm3ikdeuj02zk01l1yeuirt77'],
  ['a cuid with a prefix', 'job-cm3ikdeuj02zk01l1yeuirt77'],
  ['a ULID', '01JCQ3X8ZV5N7W9Y2B4D6F8H0K'],
  ['a UUID 7', '01932f4c-7a5b-7c3d-8e9f-0a1b2c3d4e5f'],
  ['a UUID 4', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
  ['a UUID 4 in capitals with a prefix', 'job_3F2504E0-4F89-41D3-9A0C-0305E82C3301'],
  ['a UUID 1', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ['a UUID 5', '886313e1-3b8a-5372-9b90-0c9aee199e5d'],
  ['an ObjectId', '507f1f77bcf86cd799439011'],
  ['128 bits in hexadecimal', 'job:9e107d9d372bb6826bd81d3542a419d6'],
  ['19 small letters and digits', 'x4k9q2m7w1z8c3v6b5n'],
  ['17 letters of both cases and digits', 'V1StGXR8Z5jdHi6BmyT'],
])('isUniqueId takes %s for unique', (_, id) => {
  expect(isUniqueId(id)).toBe(true);
});

it.each([
  ['a number', '1'],
  ['no text', ''],
  ['a long number', '12345678901234567890123456789012345'],
  ['a number with leading zeros', '000000000000000000000017'],
  ['a UUID of zeros', '00000000-0000-0000-0000-000000000001'],
  ['words', 'question-about-the-quarterly-report'],
  ['words without a space', 'questionaboutthequarterlyreport'],
  ['words and a year', 'questionaboutthequarterlyreport2024'],
  ['words in camel case', 'QuestionAboutReport'],
  ['a name and a number', 'job-17'],
  ['24 hexadecimal digits, few of them different', 'aaaaaaaaaaaaaaaa00000017'],
  ['24 letters that are hexadecimal digits', 'deadbeefcafefacefeedbade'],
  ['a UUID with more behind it', '3f2504e0-4f89-41d3-9a0c-0305e82c3301 (2)'],
  ['18 small letters and digits', 'x4k9q2m7w1z8c3v6b5'],
  ['16 letters of both cases and digits', 'V1StGXR8Z5jdHi6B'],
])('isUniqueId does not take %s for unique', (_, id) => {
  expect(isUniqueId(id)).toBe(false);
});
