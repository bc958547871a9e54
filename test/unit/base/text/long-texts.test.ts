/**
 * Texts of millions of characters, in a process that does not optimise patterns: V8 stops doing that once it has
 * compiled a megabyte of them. Then `x+` needs 16 bytes of a stack of 64 MB for each character, as groups always do.
 */
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { csvField } from '../../../../src/base/text/csv.js';
import { redactText } from '../../../../src/base/text/redact.js';
import { maskSignatures } from '../../../../src/base/text/mask-signatures.js';
import { visibleLine } from '../../../../src/base/text/visible.js';
import { filePlaces } from '../../../../src/flatten/file-places.js';
import { textHash } from '../../../../src/flatten/text-hash.js';
import { presigningMasked } from '../../../../src/model/urls/file-url.js';
import { parseTimestamp } from '../../../../src/model/times/timestamp.js';
import { filedWords } from '../../../../src/report/first-page/index-words.js';
import { excerptOf } from '../../../../src/report/jobs/job-excerpt.js';
import { foldText } from '../../../../src/base/text/fold-text.js';
import { wholeNumber } from '../../../../src/service/envelope.js';
import { blockRow } from '../../../support/tables/flattened-job.js';
import { fault } from '../../../support/base/fault.js';

setFlagsFromString('--no-regexp-optimization');

/** More than the four million that such a stack has room for. */
const CHARACTERS = 5_000_000;
const long = (piece: string): string => piece.repeat(CHARACTERS / piece.length);
/** Makes every text one that may hold a presigned URL. */
const SIGNED = 'https://h/a?Expires=1&Signature=aaaaaaaaaaaaaaaa&Key-Pair-Id=K';

it.each([
  ['a word', `${SIGNED} ${long('a')}`],
  ['a signed URL without an end', SIGNED + long('a')],
  ['the address of a query', `${SIGNED} https://h/${long('a')}?b=1`],
  ['brackets in a query', `${SIGNED} https://h/?${long('(a)')}${long('[a]')}`],
  ['full stops behind a URL', SIGNED + long('.')],
  ['line ends', `${SIGNED} ${long('\n')}`],
  ['quotes', `${SIGNED} ${long('"')}`],
  ['backslashes', SIGNED + long('\\')],
  ['data', `![${SIGNED}](data:text/csv${long(';a')},)`],
  ['a fence and its language', `\n${long('`')}𝒜${long('𝒜')}`],
  ['a link that is defined', `![a]\n[a]: <${long('a')}>`],
])(
  'a text of five million characters is flattened, and keeps no signature: %s',
  fault('F-72'),
  (_, text) => {
    const block = JSON.stringify({ type: 'MESSAGE', content: text });
    const archived = String(blockRow(block)['content_text']);
    expect(archived.length).toBeGreaterThan(10);
    expect(archived.includes('Signature=')).toBe(false);
    expect(textHash(block)).toMatch(/^[0-9a-f]{32}$/);
  },
);

it.each([
  ['image', long('a'), 0],
  ['href', `https://h/${long('a')}?b`, 0],
  ['thumbnail', `https://h/${long('a')}.png`, 1],
  ['x', `/${long('a')}.csv`, 0],
])(
  'a text of five million characters is looked at as a file: %s',
  fault('F-72'),
  (name, text, files) => {
    const record = { answer: { blocks: [{ type: 'CHART', content: { [name]: text } }] } };
    expect(filePlaces(record)).toHaveLength(files);
  },
);

it(
  'a text of five million characters is masked, folded, indexed and written',
  fault('F-72'),
  () => {
    const [word, digits, blanks] = [long('a'), long('1'), long(' ')];
    const signature = `x-amz-signature=${word}`;
    expect(maskSignatures(signature)).toBe('x-amz-signature=***');
    expect(redactText(`at https://h/${word}?${signature}`).endsWith('?…')).toBe(true);
    expect(presigningMasked(`${SIGNED}&b=${word}`)?.[0]).toBe('https://h/a');
    expect(foldText(`a${blanks}b`)).toBe(' a b ');
    expect(foldText(word)).toHaveLength(CHARACTERS + 2);
    expect(excerptOf(`a${blanks}b`)).toBe('a b');
    expect(visibleLine(`a${blanks}\nb`)).toBe('a b');
    expect([...filedWords(`${word} b`)].at(-1)).toBe('b');
    expect([...filedWords(long('𝒜'))]).toHaveLength(1);
    expect(csvField(`-${digits}`)).toHaveLength(CHARACTERS + 1);
    expect(parseTimestamp(`2024-11-21T09:56:34.${digits}Z`)).toBe(1_732_182_994_111_111n);
    expect(wholeNumber(digits)).toBeNull();
  },
);
