/** Where an answer that proposes an `[[ignore]]` entry leads to. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { findSettingsFile, proposesEntry } from '../../../services/guard/find-settings-file.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { ReadsFiles } from '../../../shared/forge/port-owners.ts';
import type { CommandReply } from '../../../shared/rounds/model/command-reply.ts';
import type { EffectOf } from '../../../shared/rounds/model/effect.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createEffectsBench } from './effects-bench.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const answer = (say: CommandReply): EffectOf<'answer'> => ({
  kind: 'answer',
  head: make.sha('head'),
  note: '7',
  threadId: null,
  say,
  noticeId: make.runId('notice'),
});
const dismissed = { kind: 'dismissed', findingId: 'F-001', by: 7, reason: 'as wanted' } as const;

test.each<readonly [CommandReply, boolean]>([
  [{ kind: 'proposed', findingId: 'F-001', reason: 'as wanted' }, true],
  [{ ...dismissed, always: true }, true],
  [dismissed, false],
  [{ kind: 'help' }, false],
])('%j needs the settings file: %s', (say, expected) => {
  expect(proposesEntry(answer(say))).toBe(expected);
});

const away = new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'away', disposition: { kind: 'retry' } });
const benchWith = (fetchFile: ReadsFiles['fetchFile'] | null) =>
  createEffectsBench(redis, {
    facts: { history: make.history({ threads: [make.thread()] }) },
    deps: ({ forges }) => ({
      forges: new Map(
        [...forges].map(([id, forge]) => [id, fetchFile === null ? forge : { ...forge, files: { fetchFile } }]),
      ),
    }),
  });

test.each<readonly [string, ReadsFiles['fetchFile'] | null]>([
  ['present', async () => ({ kind: 'text', text: '' })],
  ['missing', async () => null],
  ['unknown', async () => Promise.reject(away)],
  ['unknown', null],
])('the file of the target branch is %s (%#)', async (expected, fetchFile) => {
  expect(await findSettingsFile(benchWith(fetchFile).context)).toBe(expected);
});

test('it is looked for in the project and branch of the change request, and only for a proposal', async () => {
  const asked: unknown[] = [];
  const bench = benchWith(async (at) => {
    asked.push(at);
    return null;
  });
  await bench.run(answer(dismissed));
  expect(asked).toEqual([]);
  const { plans } = await bench.run({ ...answer({ ...dismissed, always: true }), note: '8' });
  expect(asked).toEqual([{ projectId: 1, branch: 'main', path: '.fixpoint.toml' }]);
  expect(plans[0]?.notices[0]?.text).toContain('[[ignore]]');
});

test('a mistake in our own code is no answer of the forge', async () => {
  const bench = benchWith(async () => Promise.reject(new TypeError('a mistake')));
  await expect(findSettingsFile(bench.context)).rejects.toThrow('a mistake');
});
