/**
 * The types of blocks: the one place that names them. What becomes of a block follows from the shape of its type:
 * its rows and its text (`flatten`), which of its URLs are files, what a search and a view count it as, and how the
 * page, a terminal and a workbook show it.
 */

/**
 * - `prose`: a text for people, in Markdown
 * - `code`: a text in a programming language
 * - `table`, `image`: a pointer to a file, or several; anything else in them is JSON
 * - `sources`, `questions`: a list whose entries have rows of their own
 * - `link`: JSON; a URL that is all of it says where to look, and is no file
 */
export type BlockShape = TextShape | FileShape | ListShape | 'link';
const TEXT_SHAPES = ['prose', 'code'] as const;
const FILE_SHAPES = ['table', 'image'] as const;
export const LIST_SHAPES = ['sources', 'questions'] as const;
export type TextShape = (typeof TEXT_SHAPES)[number];
export type FileShape = (typeof FILE_SHAPES)[number];
export type ListShape = (typeof LIST_SHAPES)[number];
/** A block of no known type is JSON. */
export type ShownShape = BlockShape | 'json';

/** By type, in upper case, as the service documents them or has been seen to send them. */
const SHAPES: ReadonlyMap<string, BlockShape> = new Map([
  ['MESSAGE', 'prose'],
  ['CODE', 'code'],
  ['TABLE', 'table'],
  ['IMAGE', 'image'],
  ['SOURCES', 'sources'],
  ['QUESTIONS', 'questions'],
  ['TASK', 'link'],
  ['TRIGGER', 'link'],
]);

/** Other spellings that have been seen. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([['SOURCE', 'SOURCES']]);

/** A block's type as it counts here: in upper case, and SOURCE is SOURCES. */
export function blockTypeOf(raw: unknown): string | null {
  if (typeof raw !== 'string') return null;
  const type = raw.toUpperCase();
  return SPELLINGS.get(type) ?? type;
}

/** @param type as `blockTypeOf` gives it */
export function shapeOf(type: string | null): ShownShape {
  return SHAPES.get(type ?? '') ?? 'json';
}

/** Whether the content of such a block is a text, and not JSON. */
export function isTextShape(shape: ShownShape): shape is TextShape {
  return (TEXT_SHAPES as readonly ShownShape[]).includes(shape);
}

/** Whether its content is a file, or several. */
export function isFileShape(shape: ShownShape): shape is FileShape {
  return (FILE_SHAPES as readonly ShownShape[]).includes(shape);
}

/** Whether it is a list of entries, in which URLs are those of pages. */
export function isListShape(shape: ShownShape): shape is ListShape {
  return (LIST_SHAPES as readonly ShownShape[]).includes(shape);
}

/** Stands for the name of a file that has none. */
export const FILE_WITHOUT_NAME = 'a file without a name';

/** Kinds of files beside the types of the blocks that hold them: where a URL stands that is none of a block. */
export const OTHER_FILE_KINDS = ['MARKDOWN_IMAGE', 'PRESIGNED_LINK', 'RECORD', 'MORE'] as const;

/** All types and their other spellings, in upper case. */
export const BLOCK_TYPE_WORDS: readonly string[] = [...SHAPES.keys(), ...SPELLINGS.keys()];

/** A condition in SQL, never null: whether a column with a type has one of a shape. */
export function isOfShapeSql(column: string, shape: BlockShape): string {
  const types = [...SHAPES]
    .filter(([, typeShape]) => typeShape === shape)
    .map(([type]) => `'${type}'`);
  return `coalesce(${column} IN (${types.join(', ')}), false)`;
}
