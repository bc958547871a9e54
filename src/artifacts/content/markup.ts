/** Detects HTML and XML documents by their beginning. A CSV whose first cell starts with `<` is not one. */

/** `error`: an XML error document from object storage. */
export type Markup = 'html' | 'svg' | 'xml' | 'error';

const PROLOGUE = /^(?:\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)+/;
const DOCTYPE = /^<!doctype\s+([\w:.-]+)/i;
const ROOT = /^<([a-z_][\w.:-]*)(?=[\s/>])[^<>]*>\s*/i;
const HTML_ROOTS = new Set(['html', 'head', 'body']);

/**
 * @param text the beginning of the body, decoded, without a byte order mark
 * @param isWhole whether that is the whole body
 */
export function markupOf(text: string, isWhole: boolean): Markup | null {
  const start = text.trimStart();
  if (!start.startsWith('<')) return null;
  const declared = /^<\?xml\s/i.test(start);
  const rest = start.replace(PROLOGUE, '');
  const doctype = DOCTYPE.exec(rest);
  const kind = doctype ? kindOfDoctype(doctype[1]) : kindOfRoot(rest, isWhole);
  return kind ?? (declared || doctype ? 'xml' : null);
}

function kindOfDoctype(name: string | undefined): Markup | null {
  const root = localName(name ?? '');
  return root === 'html' || root === 'svg' ? root : null;
}

function kindOfRoot(text: string, isWhole: boolean): Markup | null {
  const root = ROOT.exec(text);
  if (!root) return null;
  const name = localName(root[1] ?? '');
  const next = text.charAt(root[0].length);
  const looksNested = next === '<' || next === '';
  if (name === 'svg' && next !== ',') return 'svg';
  if (HTML_ROOTS.has(name) && next !== ',') return 'html';
  if (/error(response)?$/.test(name) && looksNested) return 'error';
  const closes = isWhole && text.trimEnd().endsWith(`</${root[1] ?? ''}>`);
  return closes ? 'xml' : null;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
