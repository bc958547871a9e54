/** JSON with sorted keys and no white space, so that equal values have equal digests. */

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Keys are ordered by UTF-16 code unit; `undefined` members are left out. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = sortedKeys(value).flatMap((key) => {
    const member = value[key];
    return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
  });
  return `{${members.join(',')}}`;
}

/** From here on an insertion sort is slower than the built-in one. */
const MANY = 20;

/** An object's keys, ordered by UTF-16 code unit. The built-in sort allocates, and most objects are small. */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  if (keys.length > MANY) return keys.sort();
  for (let end = 1; end < keys.length; end++) {
    const key = keys[end] ?? '';
    let at = end;
    for (let before = keys[at - 1]; before !== undefined && before > key; before = keys[at - 1]) {
      keys[at--] = before;
    }
    keys[at] = key;
  }
  return keys;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
