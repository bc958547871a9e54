/**
 * The one folding of a search: a text as words with a blank before and after each, so that a word or a phrase is found
 * by looking for its characters. The archive is written with it, and what somebody looks for is folded the same way.
 * The report's page uses it, too: nothing here needs Node.
 *
 * Letters are small and plain: no accents, no strokes, no ligatures; digits of every script are 0 to 9. Kana keep their
 * voicing. Hyphens and dashes are blanks; apostrophes are one. Punctuation at the ends of a word is nothing; inside a
 * word `'`, `.`, `_`, `&`, `@`, `/` stand as a word of their own, and so do `,` and `:` between digits. Signs such as an
 * emoji or `€` are words; `™`, `¹`, `①` are edges of words. Chinese, Japanese, Thai, Arabic and Hebrew words are not set
 * apart by what can be seen: their letters follow each other as they stand.
 */

/** Increased whenever a text may fold to something else than before. */
export const FOLDING = 1;

/** What a character is to a folded text. */
const IS = {
  nothing: 1,
  blank: 2,
  letter: 3,
  digit: 4,
  /** A letter of a script whose words begin anywhere. */
  anywhere: 5,
  sign: 6,
  /** Joins what is before and after it into one word. */
  joint: 7,
  /** Does so between digits. */
  digitJoint: 8,
  /** Ends the name of a language: C++, C#. */
  suffix: 9,
  /** Becomes several characters, or is one of two UTF-16 units. */
  several: 10,
} as const;

/**
 * Invisible characters, the stretched Arabic line, and marks that are accents of a letter. Vowel signs of Devanagari,
 * Thai and others are letters of their own, and so are the marks that voice kana.
 */
const IGNORED =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640]|(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Cyrl}]/u;
const HYPHENS = /[\p{Pd}\u2043\u2212]/u;
const APOSTROPHES =
  /['\u00b4\u02b9\u02bb\u02bc\u02be\u02bf\u055a\u05f3\u2018\u2019\u201b\u2032\u2035\ua78c]/u;
/** Footnotes, numbers in circles and marks of lawyers. Subscripts are part of a word, as in CO₂. */
const EDGES =
  /[\u00a9\u00ae\u00b2\u00b3\u00b9\u2070-\u207f\u2117\u2120\u2122\u2460-\u24ff\u2776-\u2793\u{1f100}-\u{1f10c}]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const ANYWHERE =
  /[ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Arab}\p{sc=Hebr}]/u;
const ASCII_SIGN = '$';
const JOINTS = "'._&@/";
const DIGIT_JOINTS = ',:';
const SUFFIXES = '+#';

/** Letters that Unicode does not take apart, each with what people write instead; Persian and Urdu letters with the Arabic ones that they look like. */
const PLAIN: ReadonlyMap<string, string> = new Map(
  [
    'øo łl đd ðd þth œoe æae ħh ŧt ŋn ĸk ƀb ɓb ƈc ȼc ɖd ɗd ɇe ƒf ǥg ɠg ɨi ɉj ƙk ƚl ⱡl ɲn ƞn',
    'ɵo ƥp ᵽp ɍr ȿs ⱦt ʉu ʋv ⱳw ɏy ƴy ƶz ⱥa',
    'یي ىي کك ڪك ەه ہه ٱا ⁄/ ∕/ ٫. ٬,',
  ]
    .flatMap((line) => line.split(' '))
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
);

/** A character of a folded text, and what it is there. */
interface Folded {
  readonly is: number;
  readonly character: string;
}

/** What each UTF-16 unit is (0 where it was not looked up yet), and what it becomes. */
const kinds = new Uint8Array(0x1_0000);
const units = new Uint16Array(0x1_0000);
/** What is `several`, by the character. */
const severals = new Map<string, readonly Folded[]>();
const BLANK = 0x20;

function lookUp(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit < 0xe000;
  const [first, ...more] = isSurrogate ? [] : foldedCharacter(String.fromCharCode(unit));
  const isSeveral = isSurrogate || more.length > 0 || (first?.character.length ?? 1) > 1;
  const is = isSeveral ? IS.several : (first?.is ?? IS.nothing);
  kinds[unit] = is;
  units[unit] = first?.character.charCodeAt(0) ?? BLANK;
  return is;
}

function severalOf(character: string): readonly Folded[] {
  let folded = severals.get(character);
  if (!folded) severals.set(character, (folded = foldedCharacter(character)));
  return folded;
}

/** @param character one code point */
function foldedCharacter(character: string): readonly Folded[] {
  if (HYPHENS.test(character) || EDGES.test(character)) return [SPACE];
  if (APOSTROPHES.test(character)) return [{ is: IS.joint, character: "'" }];
  if (IGNORED.test(character)) return [];
  if (/\p{Nd}/u.test(character)) return [{ is: IS.digit, character: digitOf(character) }];
  const plain = lowerCase(character.normalize('NFKD').replace(EACH_IGNORED, ''))
    .replace(/./gsu, (part) => PLAIN.get(part) ?? part)
    .normalize('NFC');
  const folded = Array.from(plain, (part) => ({ is: kindOf(part), character: part }));
  // ㎏ and ½ are words of their own
  const isWord = folded.length > 1 && !/[\p{L}\p{M}]/u.test(character);
  return isWord ? [SPACE, ...folded, SPACE] : folded;
}

const SPACE: Folded = { is: IS.blank, character: ' ' };
const EACH_IGNORED = new RegExp(IGNORED.source, 'gu');

/** Down, up and down: ẞ and ß are ss, the dotless ı is i, ς is σ. */
function lowerCase(text: string): string {
  return text.replace(/./gsu, (character) => character.toLowerCase().toUpperCase().toLowerCase());
}

/** @param character as Unicode takes it apart, in small letters */
function kindOf(character: string): number {
  if (JOINTS.includes(character)) return IS.joint;
  if (DIGIT_JOINTS.includes(character)) return IS.digitJoint;
  if (SUFFIXES.includes(character)) return IS.suffix;
  if (/\d/.test(character)) return IS.digit;
  if (LETTER.test(character)) return ANYWHERE.test(character) ? IS.anywhere : IS.letter;
  const isSign = character === ASCII_SIGN || /(?![\p{ASCII}\ufffd])\p{S}/u.test(character);
  return isSign ? IS.sign : IS.blank;
}

/** The ten digits of a script follow each other. */
function digitOf(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  let zero = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((point - zero) % 10);
}

/** Marks that voice kana, and pieces of Korean syllables: what stands in pieces is put together first. */
const IN_PIECES = /[\u1100-\u11ff\uff66-\uff9f]|[\u3099-\u309c]/;
const PIECES =
  /[\uff66-\uff9f]+|[\u3041-\u30ff][\u3099-\u309c]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/gu;

function composed(pieces: string): string {
  return pieces.replaceAll('\u309b', '\u3099').replaceAll('\u309c', '\u309a').normalize('NFKC');
}

/** As `FoldedPlaces` has them. */
interface Places {
  readonly starts: number[];
  readonly ends: number[];
}

/** A folded text is written to it, and decoded in pieces: a text may have 64 MB. */
const BUFFER_UNITS = 1 << 16;
const BUFFER = new Uint16Array(BUFFER_UNITS);
const UTF16 = new TextDecoder('utf-16le');
const ASCII = new TextDecoder();

/** Writes the folded characters of a text, with blanks around its words. */
class Folder {
  /** The length of what is in the buffer. */
  #length = 0;
  /** The last unit. */
  #written = 0;
  /** The bits of all units of the buffer. */
  #allBits = 0;
  readonly #pieces: string[] = [];
  /** What came last; `blank` at the beginning. */
  #last: number = IS.blank;
  /** After a word: what joins it with the next one if that follows at once; 0 without. */
  #joint = 0;
  /** Whether that joins digits only. */
  #joinsDigits = false;
  readonly #places: Places | undefined;
  /** Where the character that is written starts. */
  #start = 0;
  #end = 0;
  /** Where the pieces stand that the character was put together from. */
  #source: { readonly start: number; readonly end: number } | undefined;

  constructor(places?: Places) {
    this.#places = places;
  }

  fold(text: string): string {
    this.#blank();
    let done = 0;
    if (IN_PIECES.test(text)) {
      for (const { 0: pieces, index } of text.matchAll(PIECES)) {
        this.#add(text, done, index);
        done = index + pieces.length;
        const whole = composed(pieces);
        this.#source = { start: index, end: done };
        this.#add(whole, 0, whole.length);
        this.#source = undefined;
      }
    }
    this.#add(text, done, text.length);
    this.#start = this.#end = text.length;
    this.#blank();
    this.#flush();
    return this.#pieces.join('');
  }

  #add(text: string, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      const is = kinds[unit] || lookUp(unit);
      // nearly every character: a letter after a letter
      const isLetter = is === IS.letter || is === IS.anywhere;
      if (isLetter && is === this.#last && this.#joint === 0 && !this.#places) {
        this.#write(units[unit] ?? BLANK);
        continue;
      }
      this.#start = at;
      this.#end = at + 1;
      if (is === IS.several) at += this.#addSeveral(text, at);
      else this.#take(is, units[unit] ?? BLANK);
    }
  }

  /** @returns 1 where the character has a second UTF-16 unit */
  #addSeveral(text: string, at: number): number {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    this.#end = at + character.length;
    const several = severalOf(character);
    if (several.length === 0) this.#extend();
    for (const folded of several) {
      this.#take(folded.is, folded.character.charCodeAt(0));
      const low = folded.character.charCodeAt(1);
      if (!Number.isNaN(low)) this.#write(low);
    }
    return character.length - 1;
  }

  #take(is: number, unit: number): void {
    const isInWord = this.#last === IS.letter || this.#last === IS.digit;
    switch (is) {
      case IS.nothing:
        this.#extend();
        return;
      case IS.letter:
      case IS.digit:
        if (!isInWord) this.#blank();
        else if (this.#joint !== 0) this.#join(is);
        break;
      case IS.anywhere:
        if (this.#last !== IS.anywhere) this.#blank();
        break;
      case IS.sign:
        this.#blank();
        break;
      case IS.suffix:
        if (this.#joint !== 0 || (this.#last !== IS.letter && this.#last !== IS.suffix)) {
          this.#separate();
          return;
        }
        this.#blank();
        break;
      case IS.joint:
      case IS.digitJoint:
        if (this.#joint !== 0 || !(is === IS.joint ? isInWord : this.#last === IS.digit)) {
          this.#separate();
          return;
        }
        this.#joint = unit;
        this.#joinsDigits = is === IS.digitJoint;
        return;
      default:
        this.#separate();
        return;
    }
    this.#joint = 0;
    this.#last = is;
    this.#write(unit);
  }

  /** The word goes on after what may join it. */
  #join(is: number): void {
    this.#blank();
    if (this.#joinsDigits && is !== IS.digit) return;
    this.#write(this.#joint);
    this.#blank();
  }

  #separate(): void {
    this.#joint = 0;
    this.#last = IS.blank;
  }

  #blank(): void {
    if (this.#written !== BLANK) this.#write(BLANK);
  }

  #write(unit: number): void {
    BUFFER[this.#length++] = unit;
    this.#allBits |= unit;
    this.#written = unit;
    if (this.#places) {
      this.#places.starts.push(this.#source?.start ?? this.#start);
      this.#places.ends.push(this.#source?.end ?? this.#end);
    }
    if (this.#length === BUFFER_UNITS) this.#flush();
  }

  /** What became nothing belongs to the character before it: an accent. */
  #extend(): void {
    const ends = this.#places?.ends;
    if (ends && this.#last !== IS.blank && ends.length > 0) ends[ends.length - 1] = this.#end;
  }

  #flush(): void {
    const units = BUFFER.subarray(0, this.#length);
    // a text of one byte a character takes half of the memory, and is written faster
    this.#pieces.push(
      this.#allBits < 0x80 ? ASCII.decode(new Uint8Array(units)) : UTF16.decode(units),
    );
    this.#length = 0;
    this.#allBits = 0;
  }
}

/** @returns ` the net revenue `: with a blank at both ends; of a text without words one blank */
export function foldText(text: string): string {
  return new Folder().fold(text);
}

export interface FoldedPlaces {
  readonly folded: string;
  /** For each UTF-16 unit of it, where the character that it was made of begins in the text. */
  readonly starts: readonly number[];
  /** For each unit, where that character ends in the text, with accents that follow it. */
  readonly ends: readonly number[];
}

export function foldWithPlaces(text: string): FoldedPlaces {
  const places: Places = { starts: [], ends: [] };
  return { folded: new Folder(places).fold(text), ...places };
}

/** @param folded words without blanks around them */
export function beginsAnywhere(folded: string): boolean {
  return BEGINS_ANYWHERE.test(folded);
}

/** @param folded words without blanks around them */
export function endsAnywhere(folded: string): boolean {
  return ENDS_ANYWHERE.test(folded);
}

const BEGINS_ANYWHERE = new RegExp(`^${ANYWHERE.source}`, 'u');
const ENDS_ANYWHERE = new RegExp(`${ANYWHERE.source}$`, 'u');
