import type { ChangeRequestFacts } from '../../shared/forge/port.ts';
import type { Posting } from './post.ts';

/** `facts`: as read last, where they were. */
export const writeStatus = async (
  { deps, forge, plan, signal }: Omit<Posting, 'log'>,
  facts?: Pick<ChangeRequestFacts, 'fromFork'>,
): Promise<void> => {
  if (plan.status === null) return;
  await forge.write.writeStatus(
    plan.changeRequest,
    {
      head: plan.head,
      sourceBranch: plan.sourceBranch,
      state: plan.status.state,
      context: deps.statusContext,
      description: plan.status.description,
      targetUrl: null,
      ...(facts === undefined ? {} : { fromFork: facts.fromFork }),
    },
    signal,
  );
};
