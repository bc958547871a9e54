/** Letters of 5 by 7 dots, enough for the titles and labels of charts. */

/** A glyph a line: the character, then its rows from the top, each 5 dots as one base-32 digit. */
const GLYPHS = `
A ehhvhhh B uhhuhhu C ehggghe D uhhhhhu E vgguggv F vgguggg G ehgnhhf H hhhvhhh I e44444e
J 72222ic K hikokih L ggggggv M hrllhhh N hhpljhh O ehhhhhe P uhhuggg Q ehhhlid R uhhukih
S fgge11u T v444444 U hhhhhhe V hhhhha4 W hhhllla X hha4ahh Y hhha444 Z v1248gv
a 00e1fhf b ggmphhu c 00egghe d 11djhhf e 00ehvge f 698s888 g 0fhhf1e h ggmphhh i 40c444e
j 20622ic k ggikoki l c44444e m 00qllhh n 00mphhh o 00ehhhe p 00uhugg q 00djf11 r 00mpggg
s 00fge1u t 88s8896 u 00hhhjd v 00hhha4 w 00hhlla x 00ha4ah y 00hhf1e z 00v248v
0 ehjlphe 1 4c4444e 2 eh1248v 3 v2421he 4 26aiv22 5 vgu11he 6 68guhhe 7 v124888 8 ehhehhe
9 ehhf12c . 00000cc , 0000048 - 000v000 % op248j3 ( 2488842 ) 8422248 / 01248g0 : 0cc0cc0
+ 044v440 & cik8lid ' c480000 " aa00000 _ 000000v`;

const ROWS: ReadonlyMap<string, readonly number[]> = new Map(
  GLYPHS.trim()
    .split(/\s+/)
    .flatMap((token, index, tokens) =>
      index % 2 === 0
        ? [[token, Array.from(tokens[index + 1] ?? '', (digit) => parseInt(digit, 32))] as const]
        : [],
    ),
);

export const GLYPH_WIDTH = 6;

/** The drawable characters of a text: letters lose their accents, other scripts and emoji are removed. */
export function drawable(text: string): string {
  return Array.from(text.normalize('NFKD'))
    .filter((character) => character === ' ' || ROWS.has(character))
    .join('')
    .replace(/ +/g, ' ')
    .trim();
}

/** Calls `dot` for every dot of a drawable text, in units of dots from the top left. */
export function eachDot(text: string, dot: (x: number, y: number) => void): void {
  Array.from(text).forEach((character, index) => {
    ROWS.get(character)?.forEach((row, y) => {
      for (let x = 0; x < 5; x++) if (row & (16 >> x)) dot(index * GLYPH_WIDTH + x, y);
    });
  });
}
