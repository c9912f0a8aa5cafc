import type { ChangeRequestView } from '../../../shared/store/board/views.ts';

/** Guard has removed its own secrets; this removes those of this process and whatever looks like one. */
export const cleanView = (view: ChangeRequestView, clean: (text: string) => string): ChangeRequestView => ({
  ...view,
  title: clean(view.title),
  sourceBranch: clean(view.sourceBranch),
  targetBranch: clean(view.targetBranch),
  waits: view.waits === null ? null : clean(view.waits),
  threads: view.threads.map((thread) => ({ ...thread, title: clean(thread.title), path: clean(thread.path) })),
  handoffs: view.handoffs.map((handoff) => ({ ...handoff, reason: clean(handoff.reason) })),
});
