import type { Handler } from '../../../shared/queue/worker.ts';
import { deliver } from './deliver.ts';
import type { NotifyDeps } from './deps.ts';
import { fanOut } from './fan-out.ts';

export const createNotifyHandler =
  (deps: NotifyDeps): Handler<'notify'> =>
  async (job, context) => {
    if (job.kind === 'event') await fanOut(deps, job.event, context);
    else await deliver(deps, job, context);
    return { kind: 'done' };
  };
