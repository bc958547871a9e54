/** Characters that control a terminal or change the direction of text, as part of a character class: control characters (C0, DEL, C1), the two line separators of Unicode, and marks of direction. */
export const STEERING = '\\p{Cc}\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
