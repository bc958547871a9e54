/** Whether a text that people wrote names somebody who is erased, however they spelt it. */

/** Letters and digits of a name, between which anything may stand: `jonas.weber`, `Jonas Weber`, `jonas-weber`. */
const SPELT = /[\p{L}\p{M}\p{N}]/u;
/** What nobody sees, such as a soft hyphen or a zero-width space: texts and ids are compared as if it were not there. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/** Letters of the part before the @ of an address: shorter ones are words of many texts. */
const LEAST_OF_ADDRESS = 4;

/** An id as texts are searched for it. */
interface Form {
  /** As people see it. */
  readonly seen: string;
  /** Its letters and digits; empty where it has none. */
  readonly spelt: string;
}

/**
 * The first words of a text that name one of the ids, as people see them; undefined if none do.
 *
 * An id, and the part before the @ of an address from four letters on, counts where its letters and digits are whole
 * words of the text, whatever their case and whatever stands between them. An id that has none counts where neither one of
 * its signs nor a letter or digit is next to it.
 */
export function namedIn(text: string | null, ids: ReadonlySet<string>): string | undefined {
  if (text === null) return undefined;
  const read = new ReadText(seenText(text));
  for (const { seen, spelt } of formsOf(ids)) {
    const found = spelt === '' ? read.findSigns(seen) : read.find(spelt);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function namesAny(text: string | null, ids: ReadonlySet<string>): boolean {
  return namedIn(text, ids) !== undefined;
}

class ReadText {
  /** Letters and digits alone. */
  readonly #spelt: string;
  /** The place of each of them in the text. */
  readonly #places: readonly number[];

  constructor(readonly text: string) {
    const places: number[] = [];
    let spelt = '';
    let at = 0;
    for (const character of text) {
      const letters = folded(character);
      for (let letter = 0; letter < letters.length; letter++) places.push(at);
      spelt += letters;
      at += character.length;
    }
    this.#spelt = spelt;
    this.#places = places;
  }

  find(spelt: string): string | undefined {
    let at = this.#spelt.indexOf(spelt);
    for (; at !== -1; at = this.#spelt.indexOf(spelt, at + 1)) {
      const end = at + spelt.length;
      if (this.#isBreak(at) && this.#isBreak(end)) return this.#words(at, end);
    }
    return undefined;
  }

  findSigns(signs: string): string | undefined {
    const others = new Set(signs);
    const isApart = (character: string | undefined): boolean =>
      character === undefined || !(SPELT.test(character) || others.has(character));
    let at = this.text.indexOf(signs);
    for (; at !== -1; at = this.text.indexOf(signs, at + 1)) {
      const before = Array.from(this.text.slice(0, at)).at(-1);
      const [after] = this.text.slice(at + signs.length);
      if (isApart(before) && isApart(after)) return signs;
    }
    return undefined;
  }

  /** Whether a word ends or begins between a letter and the one before it. */
  #isBreak(at: number): boolean {
    const [before, after] = [this.#places[at - 1], this.#places[at]];
    if (before === undefined || after === undefined) return true;
    return after > before && Array.from(this.text.slice(before, after)).length > 1;
  }

  #words(at: number, end: number): string {
    const last = this.#places[end - 1] ?? 0;
    const length = String.fromCodePoint(this.text.codePointAt(last) ?? 0).length;
    return this.text.slice(this.#places[at], last + length);
  }
}

function seenText(text: string): string {
  return text.replaceAll(UNSEEN, '').normalize('NFC');
}

/** Down, then up, as `foldedUser`. */
function folded(text: string): string {
  return Array.from(text, (character) =>
    SPELT.test(character) ? character.toLowerCase().toUpperCase() : '',
  ).join('');
}

/** An erasure looks through the whole log with the same ids, and learns some on the way. */
const KNOWN = new WeakMap<ReadonlySet<string>, readonly Form[]>();
const SIZES = new WeakMap<ReadonlySet<string>, number>();

function formsOf(ids: ReadonlySet<string>): readonly Form[] {
  const known = KNOWN.get(ids);
  if (known && SIZES.get(ids) === ids.size) return known;
  const forms = [...ids].map(seenText).flatMap((seen) => {
    // nothing could tell where one stands of which nothing is seen
    if (seen === '') return [];
    const name = folded(/^([^@]+)@/.exec(seen)?.[1] ?? '');
    const whole = { seen, spelt: folded(seen) };
    return [whole, ...(name.length < LEAST_OF_ADDRESS ? [] : [{ seen, spelt: name }])];
  });
  KNOWN.set(ids, forms);
  SIZES.set(ids, ids.size);
  return forms;
}
