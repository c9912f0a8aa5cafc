/** What is decided about one change request, without what its commit's status needs for others: `follow-place.test.ts`. */
import { decide as decideAll } from '../../../shared/rounds/decide/decide.ts';
import type { Decision, DecideInput } from '../../../shared/rounds/decide/decision.ts';

export const decide = (input: DecideInput): Decision => {
  const { state, steps } = decideAll(input);
  const outbox = state.outbox.filter(({ kind }) => kind !== 'write_status');
  return { state: { ...state, outbox }, steps: steps.filter(({ effect }) => effect !== 'write_status') };
};
