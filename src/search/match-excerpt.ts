/** A line of a text around the first word that was looked for. */
import { parseJson } from '../base/text/parse-json.js';
import { withoutData } from '../model/urls/file-url.js';
import { readMarkdown } from '../model/markdown/read-markdown.js';
import { contentOf, textsAsRead } from '../model/blocks/search-text.js';
import { withoutSecrets } from '../model/urls/url-secrets.js';
import { spansOfWords } from './find-words.js';
import type { SearchWords } from './parse-words.js';

const BEFORE = 60;
const LENGTH = 200;

/** Without live URL signatures: a URL is masked as a whole before the text is cut. @param said as the statement has it */
export function matchExcerpt(said: string | null, words: SearchWords): string {
  const lines = textsOfHit(said).map((text) =>
    withoutSecrets(withoutData(text)).replace(/\s\s*/g, ' ').trim(),
  );
  const line =
    lines.find((candidate) => spansOfWords(words, candidate).length > 0) ?? lines[0] ?? '';
  const [found] = spansOfWords(words, line);
  const start = found && found.end > LENGTH ? found.start - BEFORE : 0;
  const cut = line.slice(start, start + LENGTH);
  // a cut between the halves of a character leaves neither
  const whole = cut.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${whole}${start + LENGTH < line.length ? '…' : ''}`;
}

/** What a block says, or the name or the text of a file. */
interface Said {
  readonly role?: string | null;
  readonly type?: string | null;
  readonly text: string | null;
  readonly json?: string | null;
}

function textsOfHit(said: string | null): string[] {
  if (said === null) return [];
  const { role = null, type = null, text, json = null } = parseJson(said) as Said;
  if (role === null) return text === null ? [] : [text];
  return textsAsRead({ role, type, text, content: contentOf(json) }, readMarkdown);
}
