/** Shows the plan of a deletion and asks whether to carry it out. */
import type { PruneSummary } from '../../prune/prune-summary.js';
import type { Ask } from './confirm.js';
import { conversationsAndQuestions } from '../output/tally.js';
import { pruneView } from '../output/reports/prune-report.js';

export function askBeforePrune(ask: Ask): (plan: PruneSummary) => Promise<boolean> {
  return (plan) => {
    const planned = plan.sessions.filter(({ outcome }) => outcome === 'planned');
    const what = conversationsAndQuestions(planned, ' with ');
    return ask(
      (isAgreed) => pruneView(plan, isAgreed ? 'agreed' : 'question'),
      `Delete ${what} from the service permanently?`,
    );
  };
}
