/** A notification whose receiver the operator has removed, wholly or in part. */
import { EventEmitter } from 'node:events';
import type { Job } from 'bullmq';
import { expect, test } from 'vitest';
import type { NotifyDeps } from '../../../../services/poster/notify/deps.ts';
import { createNotifyHandler } from '../../../../services/poster/notify/handle.ts';
import { createLogger } from '../../../../shared/logger.ts';
import { createMetrics } from '../../../../shared/metrics.ts';
import { EVENTS } from '../../../shared/notify/events.ts';
import { never } from '../../../shared/workspace/repository.ts';

const HOOK = {
  name: 'on-call',
  kind: 'json',
  events: [],
  forges: [],
  projects: [],
  urlEnv: 'URL',
  secretEnv: null,
} as const;
const ACCESS = { url: 'https://receiver.example', secret: null };

test.each([
  ['no hook has its name', [], [['on-call', ACCESS]]],
  ['its hook has no address', [HOOK], []],
] as const)('is dropped with a warning when %s', async (_what, hooks, receivers) => {
  const logged: string[] = [];
  const surprise = async (): Promise<never> => {
    throw new Error('nothing is sent or stored');
  };
  const deps: NotifyDeps = {
    hooks: hooks.map((hook) => ({ ...hook, events: [], forges: [], projects: [] })),
    receivers: new Map(receivers),
    forges: new Map(),
    abouts: { load: surprise, save: surprise },
    enqueue: surprise,
    marks: { begin: surprise, end: surprise, clear: surprise },
    send: surprise,
    metrics: createMetrics({ service: 'poster', processMetrics: false }),
    nowMs: () => 5_000,
    checkpoint: () => {},
  };
  const log = createLogger({
    service: 'poster',
    level: 'debug',
    to: { write: (line) => void logged.push(line) },
    secrets: [],
  });
  // The handler does not use the library's job.
  const job = new EventEmitter() as unknown as Job;
  const done = await createNotifyHandler(deps)(
    { v: 1, kind: 'delivery', hook: 'on-call', event: EVENTS.handoff },
    { signal: never(), log, job, attempt: 1 },
  );
  expect(done).toEqual({ kind: 'done' });
  expect(logged.join()).toContain('its hook is no longer configured');
});
