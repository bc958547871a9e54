/** Which files a pack has, and what is in each. */
import type { PackFacts } from '../pack-facts.js';

const WITHHELD_FILE = `  withheld.csv     what was withheld or redacted by decision: which conversations and
                   questions, who decided it, when and why, and nothing of them
`;

const UNREAD_FILE = `  tables-not-searched.csv
                   tables that the search for words did not read, or only in
                   their first 16 KB: conversation, question and file
`;

const REDACTED_RECORD = `;
                   of a redacted question only its id`;

const HOLDS_OF_REQUEST = `
                   (those for this request, and those for no request)`;

export function contentsSection({ making, caveats, search, request }: PackFacts): string {
  const isOfWords = search !== null && search.searched_in !== null;
  const isDecided = !making.selection.decisions.isEmpty;
  const isRedacted = caveats.some(({ kind }) => kind === 'redacted');
  return `
WHAT IS IN IT

  index.html       to open in a browser: every conversation with its images and tables,
                   ${isOfWords ? 'why each question is here, ' : ''}what was left out; to search and to print
  data/            what index.html shows: it loads nothing from elsewhere
  index.csv        every conversation in the pack with its date and title, as a table:
                   of one user after the other, the oldest first
  summary.csv      one row per id of a user, also for users with only left-out questions
  items.csv        one row per conversation, question (every version) and file: ids,
                   SHA-256, and where it lies in the pack and in the archive
  locations.csv    where each came from: service, endpoint, the file's URL
                   (without its query, which had a signature)
  settings.csv     which settings chose the data, for this pack and in each run
  gaps.csv         what is known to be missing or was left out, and why
${isDecided ? WITHHELD_FILE : ''}${isOfWords ? UNREAD_FILE : ''}  holds.csv        holds on these users and conversations: who asked (by), who set them
                   (set_by; empty if the log does not say it), why, from when to when${request === undefined ? '' : HOLDS_OF_REQUEST};
                   one on a user (user_id) also binds who counts as the same person, as
                   they have conversations in common, directly or through other users
  records/         a JSON list for each conversation: questions and answers,
                   each exactly as the service sent it (URLs in it may have
                   signatures, which expired minutes later)${isRedacted ? REDACTED_RECORD : ''}
  transcripts/     each conversation as a text to read: questions, answers, sources,
                   proposed questions, file names (code only if a search has found it
                   there; index.html and records/ have all); named by date and title
  artifacts/       the tables and images, each named by its SHA-256
  commits/         the archive's log as far as it concerns these users
  jobvault.json    which archive this is

The CSV files are UTF-8 with a byte order mark, so that a spreadsheet reads letters with
accents and of other scripts, and as RFC 4180 describes; times are UTC. A spreadsheet
would run a text that begins with = + - @ (or a tab or line break) as a formula,
so such a text has an apostrophe in front; so has one behind a semicolon, a tab or
a line break within a text, where some spreadsheets begin a new cell. One that was
there before has a second one. To get the original text, remove one apostrophe at the
beginning and behind every semicolon, tab and line break (CR, LF).

`;
}
