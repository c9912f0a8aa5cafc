import type { Posting } from './post.ts';

export const writeStatus = async ({ deps, forge, plan, signal }: Omit<Posting, 'log'>): Promise<void> => {
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
    },
    signal,
  );
};
