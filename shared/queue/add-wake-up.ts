import type { WakeUp } from './contracts.ts';
import type { Enqueue } from './enqueue.ts';

export const addWakeUp = async (
  enqueue: Enqueue,
  { changeRequest, jobId }: WakeUp,
  priority: number | null = null,
): Promise<void> =>
  enqueue('guard', { v: 1, kind: 'wake', changeRequest }, { jobId, ...(priority === null ? {} : { priority }) });
