/** Whether a member of an object is the URL of a file, by its name and its value. */

const NAMES_FILE =
  /^(?:image|img|src|file|picture|photo|thumbnail|preview|download|attachment|.*ur[il])$/i;
const NAMES_LINK = /^(?:href|link)$/i;
const ENDS_LIKE_FILE =
  /^\s*(?:https?:\/\/[^?#][^?#]*|\.{0,2}\/[^?#\s][^?#\s]*)\.(?:csv|tsv|xlsx?|parquet|json|png|jpe?g|gif|webp|svg|bmp|pdf|docx?|pptx?|zip|gz|txt)(?:[?#]|$)/i;
/** Names that always mean a URL; `curl` does not. */
const NAMES_URL = /(?:^|[\s_-])ur[il]$/i;
const NAMES_URL_IN_CAMEL_CASE = /[a-z\d]U(?:r[il]|R[IL])$/;
const LEADS_ELSEWHERE = /^\s*(?:(?:[a-z][a-z0-9+.-]*:)?\/\/|blob:)/i;
/** Contains the file itself. A text that only begins with `Data:` does not. */
const IS_DATA = /^\s*data:(?:[\w.+-]{1,1000}\/[\w.+-]{1,1000})?(?:;[^\s,;]{1,1000}){0,100},/i;
const LEADS_NOWHERE = /^\s*(?:about|javascript):/i;
const IS_SOLE_URL = /^\s*(?:(?:[a-z][a-z0-9+.-]*:)?\/\/|blob:)\S\S*\s*$/i;

export function isFileMember(name: string, value: string): boolean {
  if (value === '') return false;
  if (NAMES_URL.test(name) || NAMES_URL_IN_CAMEL_CASE.test(name)) {
    return !LEADS_NOWHERE.test(value);
  }
  if (isLinkName(name)) return ENDS_LIKE_FILE.test(value);
  const leadsToFile = LEADS_ELSEWHERE.test(value) || isDataUrl(value) || ENDS_LIKE_FILE.test(value);
  return namesFile(name) && leadsToFile;
}

/** `images` is a list of values like `image`. */
export function nameOfEach(name: string): string {
  return name.replace(/s$/i, '');
}

function namesFile(name: string): boolean {
  return NAMES_FILE.test(name);
}

export function isLinkName(name: string): boolean {
  return NAMES_LINK.test(name);
}

/** Whether a text is a `data:` URL, which holds the file itself. */
export function isDataUrl(text: string): boolean {
  return IS_DATA.test(text);
}

/** Whether a text is a URL of any scheme, and nothing else. */
export function isSoleUrl(text: string): boolean {
  return IS_SOLE_URL.test(text);
}
