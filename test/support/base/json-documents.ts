/** Random JSON texts, each with its value, which is built without a JSON parser. */
import fc from 'fast-check';
import { anyCharacter } from './any-character.js';

export interface JsonDocument {
  readonly text: string;
  readonly value: unknown;
}

const space = fc
  .array(fc.constantFrom(' ', '\n', '\t', '\r'), { maxLength: 2 })
  .map((all) => all.join(''));
const nasty = fc.constantFrom(
  ...['"', '\\', '\\\\"', '\n', '\b', '],}{[', ':,', '\u0000', '\u2028', '🙂', '\ud83d'],
  ...['__proto__', '7', '10', ''],
);
/** A key or a text, often one that JSON must escape. */
export const word = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 6 }), nasty);

/** Some characters as escapes that need not be. */
const string = fc.tuple(word, fc.infiniteStream(fc.boolean())).map(([value, escapes]) => {
  const plain = Array.from(value, (character) => {
    const isEscaped = escapes.next().value as boolean;
    return isEscaped ? escaped(character) : JSON.stringify(character).slice(1, -1);
  });
  return { value, text: `"${plain.join('')}"` };
});
const number = fc
  .constantFrom('0', '-0', '-1', '1.0', '0.10', '1e400', '-1.5E-7', '12345678901234567890')
  .map((text) => ({ text, value: Number(text) }));
const literal = fc.constantFrom(
  { text: 'true', value: true },
  { text: 'false', value: false },
  { text: 'null', value: null },
);

const { any } = fc.letrec<{ any: JsonDocument; array: JsonDocument; object: JsonDocument }>(
  (tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof<fc.Arbitrary<JsonDocument>[]>(number, string, literal),
      tie('array'),
      tie('object'),
    ),
    array: fc.array(padded(tie('any')), { maxLength: 4 }).map((elements) => ({
      text: `[${elements.map(({ text }) => text).join(',')}]`,
      value: elements.map(({ value }) => value),
    })),
    object: fc
      .array(fc.tuple(padded(string), padded(tie('any'))), { maxLength: 4 })
      .map((members) => ({
        text: `{${members.map(([key, member]) => `${key.text}:${member.text}`).join(',')}}`,
        value: objectOf(members.map(([key, member]) => [key.value, member.value])),
      })),
  }),
);

export const jsonDocument = padded(any);

/** The last of a name counts, and `__proto__` is a name. */
function objectOf(members: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(members);
}

function padded<T extends JsonDocument>(document: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc
    .tuple(space, document, space)
    .map(([before, one, after]) => ({ ...one, text: before + one.text + after }));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }).join('');
}
