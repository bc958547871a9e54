/** Shows the plan of a deletion and asks whether to carry it out. */
import type { PruneSummary } from '../../prune/prune-summary.js';
import type { Ask } from './confirm.js';
import { conversationsAndQuestions } from '../output/aligned.js';
import { plain } from '../output/terminal.js';
import { pruneReport } from '../output/reports/prune-report.js';

export function askBeforePrune(ask: Ask): (plan: PruneSummary) => Promise<boolean> {
  return (plan) => {
    const planned = plan.sessions.filter(({ outcome }) => outcome === 'planned');
    const what = conversationsAndQuestions(planned, ' with ');
    return ask(
      (isAgreed) => pruneReport(plan, plain, isAgreed ? 'agreed' : 'question'),
      `Delete ${what} from the service permanently?`,
    );
  };
}
