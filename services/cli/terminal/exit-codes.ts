import type { Verdict } from '../../../shared/vocabulary/finding.ts';

/**
 * Stable: scripts rely on them. 1 is a verdict that asks for work, 2 a mistake in usage, configuration or key. 3 is a
 * review that came to no verdict: files left out, a budget used up, a model that gave no review or could not be reached.
 */
export const EXIT_CODES: Readonly<Record<Verdict | 'usage', number>> = {
  lgtm: 0,
  feedback: 1,
  usage: 2,
  inconclusive: 3,
};
