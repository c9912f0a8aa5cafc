import type { Verdict } from '../../shared/rounds/vocabulary.ts';

/** Stable: scripts rely on them. 2 is a mistake in usage or configuration, 1 a verdict that asks for work. */
export const EXIT_CODES: Readonly<Record<Verdict | 'usage', number>> = {
  lgtm: 0,
  feedback: 1,
  usage: 2,
  inconclusive: 3,
};
