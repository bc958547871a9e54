/** Searches the questions and answers of an archive. */
import { resolve } from 'node:path';
import { searchSettings } from '../../config/search-settings.js';
import { hitsText } from '../output/hits-text.js';
import { withArchive } from '../input/archive-argument.js';
import type { SearchHit } from '../../search/search-archive.js';
import { leftOutOf } from '../../search/search-facts.js';
import { defineCommand } from '../command.js';
import { gapsExit } from '../output/archive-texts.js';
import { warnUnverified } from '../output/warn-unverified.js';
import { reportBeside } from './report.js';
import { printAnswer } from '../output/print-answer.js';

export const searchCommand = defineCommand({
  positionals: {
    archive: 'The archive: a directory or s3://bucket/prefix',
    words: 'Words in quotes, all required; "a phrase", -excluded, one OR other',
  },
  settings: searchSettings,
  examples: [
    ['jobvault search ./archive "budget 2026"', 'jobs with both words, newest first'],
    [
      `jobvault search ./archive '"net revenue" berlin OR rome -draft'`,
      'a phrase, one of two words, and an excluded word',
    ],
    [
      'jobvault search ./archive 売上 --user ada --from 2026-01 --to 2026-03',
      'any script; from January to the end of March',
    ],
    ['jobvault search ./archive invoice --in code --json', 'only code; one line of JSON'],
  ],
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings, positionals, logger } = invocation;
    const { users, from, to } = settings;
    const { archive: place = '', words: match = '' } = positionals;
    return withArchive(invocation, async (archive) => {
      const sessions = await archive.meantSessions(settings);
      // side by side: the log is read while the database looks through the texts
      const [{ commit, unverifiedBytes, ...found }, doubts] = await Promise.all([
        archive.search(match, { ...settings, sessions }),
        archive.doubts({ users, sessions }),
      ]);
      warnUnverified(unverifiedBytes, logger);
      printAnswer(invocation, { ...found, doubts, hits: found.hits.map(hitLine) }, () =>
        hitsText(found, {
          commit,
          doubts,
          report: resolve(reportBeside(place)),
          period: from !== undefined || to !== undefined,
        }),
      );
      return gapsExit(leftOutOf(found), doubts);
    });
  },
});

/** In JSON a hit has the time of its id alone: its bounds are columns of the tables. */
function hitLine(hit: SearchHit): object {
  const { user_id, session_id, session_name, job_id, created_at, matched_in, excerpt } = hit;
  return { user_id, session_id, session_name, job_id, created_at, matched_in, excerpt };
}
