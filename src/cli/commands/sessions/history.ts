import { serviceUserSettings, pagingSettings } from '../../../config/service-command-settings.js';
import { asSessionId } from '../../../model/ids.js';
import { Listings } from '../../../service/listings.js';
import { withService } from '../../input/with-service.js';
import { defineCommand } from '../../command.js';
import { conversationText } from '../../output/conversation-text.js';
import { liveJobs } from '../../input/live-jobs.js';
import { printListing, readListing } from '../../output/listing.js';

export const sessionsHistoryCommand = defineCommand({
  positionals: { session: "The session's id" },
  settings: { ...serviceUserSettings, ...pagingSettings },
  examples: [
    ['jobvault sessions history 0b6f… --user ada', 'one page of jobs, oldest first'],
    ['jobvault sessions history 0b6f… --user ada --all --json', 'every job, one line of JSON'],
  ],
  run: (invocation) => {
    const { settings, positionals } = invocation;
    const { pageSize } = settings;
    const sessionId = asSessionId(positionals['session'] ?? '');
    return withService(invocation, async ({ service, userId, signal }) => {
      const reader = new Listings({ service, pageSize, signal }).historyOf(userId, sessionId);
      const listed = await readListing(settings, 'job', reader);
      const name = 'As the service has it now';
      const session = { name, session_id: sessionId, user_id: userId };
      const jobs = () => liveJobs(listed.records, { userId, sessionId });
      const text = () => conversationText({ session, jobs: jobs() });
      return printListing(listed, { ...invocation, text });
    });
  },
});
