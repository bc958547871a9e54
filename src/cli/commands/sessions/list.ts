import { listSettings } from '../../../config/service-command-settings.js';
import { Listings } from '../../../service/listings.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { printListing, readListing } from '../../output/listing.js';
import { fieldText } from '../../output/record-text.js';
import { tableText } from '../../output/table-text.js';
import { columnsOf } from '../../terminal.js';

const FIELDS = ['id', 'name', 'output_language', 'job_mode'] as const;
const HEADINGS = ['id', 'name', 'language', 'mode'];
/** On a narrow terminal. */
const SPARE = ['mode', 'language'];

export const sessionsListCommand = defineCommand({
  settings: listSettings,
  examples: [
    ['jobvault sessions list --user ada', 'the first page, as a table; --json has every field'],
    ['jobvault sessions list --user ada --all --json', 'every session, one line of JSON'],
    ['jobvault sessions list --user ada --search sales', 'sessions whose name contains a word'],
  ],
  run: (invocation) => {
    const { settings, terminal } = invocation;
    const { pageSize, search } = settings;
    return withService(invocation, async ({ service, userId, signal }) => {
      const reader = new Listings({ service, pageSize, signal }).sessionsOf(userId, search);
      const listed = await readListing(settings, 'session', reader);
      const rows = listed.records.map(({ value }) =>
        FIELDS.map((field) => fieldText(value[field])),
      );
      const text = () => tableText(HEADINGS, rows, columnsOf(terminal.stdout), SPARE);
      return printListing(listed, { ...invocation, text });
    });
  },
});
