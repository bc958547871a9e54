import { listSettings } from '../../../config/service-command-settings.js';
import { Listings } from '../../../service/listings.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { printListing, readListing } from '../../output/listing.js';
import { fieldText } from '../../output/record-text.js';
import { tableText } from '../../output/table-text.js';
import { columnsOf } from '../../terminal.js';

const FIELDS = ['id', 'name', 'description'] as const;

export const datasetsListCommand = defineCommand({
  settings: listSettings,
  examples: [
    ['jobvault datasets list --user ada', 'the first page, as a table'],
    ['jobvault datasets list --user ada --all --json', 'every dataset, one line of JSON'],
    ['jobvault datasets list --user ada --search sales', 'by a word of the name or description'],
  ],
  run: (invocation) => {
    const { settings, terminal } = invocation;
    const { pageSize, search } = settings;
    return withService(invocation, async ({ service, userId, signal }) => {
      const reader = new Listings({ service, pageSize, signal }).datasetsOf(userId, search);
      const listed = await readListing(settings, 'dataset', reader);
      const rows = listed.records.map(({ value }) =>
        FIELDS.map((field) => fieldText(value[field])),
      );
      const text = () => tableText(FIELDS, rows, columnsOf(terminal.stdout));
      return printListing(listed, { ...invocation, text });
    });
  },
});
