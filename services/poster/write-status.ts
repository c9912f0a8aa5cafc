import type { ChangeRequestFacts } from '../../shared/forge/port.ts';
import type { PlannedStatus } from '../../shared/rounds/post-plan.ts';
import type { Posting } from './post.ts';
import { isForSure } from './standing.ts';

const NOT_SURE: PlannedStatus = { state: 'pending', description: 'The merge base is not known: not compared yet' };

/** What was said; null for nothing. `facts`: as they were read right before. */
export const writeStatus = async (
  posting: Omit<Posting, 'log'>,
  facts: ChangeRequestFacts,
): Promise<PlannedStatus | null> => {
  const { plan } = posting;
  if (plan.status === null) return null;
  const mayPass = plan.status.state !== 'success' || facts.head !== plan.head || isForSure(plan, facts);
  const said = mayPass ? plan.status : NOT_SURE;
  await sendStatus(posting, said);
  return said;
};

export const sendStatus = async (
  { deps, forge, plan, signal }: Omit<Posting, 'log'>,
  { state, description }: PlannedStatus,
): Promise<void> =>
  forge.write.writeStatus(
    plan.changeRequest,
    {
      head: plan.head,
      sourceBranch: plan.sourceBranch,
      state,
      context: deps.statusContext,
      description,
      targetUrl: null,
    },
    signal,
  );
