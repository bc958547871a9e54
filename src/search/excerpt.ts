/** A line of a text around the first word that was looked for. */
import { withoutSecrets } from '../model/signed-url.js';
import { spansOfWords } from './find-words.js';
import type { SearchWords } from './parse-words.js';

const BEFORE = 60;
const LENGTH = 200;

/** Without live URL signatures: a URL is masked as a whole before the text is cut. */
export function matchExcerpt(text: string, words: SearchWords): string {
  const line = withoutSecrets(text).replace(/\s\s*/g, ' ').trim();
  const [found] = spansOfWords(words, line);
  const start = found && found.end > LENGTH ? found.start - BEFORE : 0;
  const cut = line.slice(start, start + LENGTH);
  // a cut between the halves of a character leaves neither
  const whole = cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${whole}${start + LENGTH < line.length ? '…' : ''}`;
}
