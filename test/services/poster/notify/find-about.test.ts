/** What the receivers are told about the place of an event. */
import { describe, expect, test } from 'vitest';
import type { NotifyForge } from '../../../../services/poster/notify/deps.ts';
import { findAbout, NOTHING_FOUND } from '../../../../services/poster/notify/find-about.ts';
import { ForgeRequestError } from '../../../../shared/forge/errors.ts';
import type { NotifyEvent } from '../../../../shared/notify/event.ts';
import { EVENTS } from '../../../shared/notify/events.ts';
import { never } from '../../../shared/workspace/repository.ts';
import { FORGE, PROJECT } from './stage.ts';

const find = async (event: NotifyEvent, forge: Partial<NotifyForge> = {}, signal = never()) =>
  findAbout({ forges: new Map([['main', { ...FORGE, ...forge }]]) }, event, signal);

const named = (patch: Partial<typeof PROJECT>): NotifyForge['read'] => ({
  fetchProject: async () => ({ ...PROJECT, unusable: null, ...patch }),
});

const WEB = PROJECT.webUrl;

test.each([
  ['a change request on GitLab', EVENTS.handoff, 'gitlab', { url: `${WEB}/-/merge_requests/12`, number: '!12' }],
  ['a change request on Forgejo', EVENTS.handoff, 'forgejo', { url: `${WEB}/pulls/12`, number: '#12' }],
  ['a project', EVENTS.webhook_dead, 'gitlab', { url: WEB, number: null }],
] as const)('an event of %s has its page', async (_what, event, kind, about) => {
  expect(await find(event, { kind })).toEqual({ about: { project: 'group/app', ...about }, failure: null });
});

describe('nothing is said about the place', () => {
  const suffix = '/-/merge_requests/12'.length;

  test.each([
    ['of an event that has none', EVENTS.outage, FORGE.read],
    ['of a project that is gone', EVENTS.handoff, { fetchProject: async () => null }],
    ['of a project with too long a name', EVENTS.handoff, named({ path: 'x'.repeat(1_001) })],
    ['of a project with too long an address', EVENTS.handoff, named({ webUrl: 'x'.repeat(2_001 - suffix) })],
  ] as const)('%s', async (_what, event, read) => {
    expect(await find(event, { read })).toEqual({ about: NOTHING_FOUND, failure: null });
  });

  test('of a forge that is no longer configured', async () => {
    const found = await findAbout({ forges: new Map() }, EVENTS.handoff, never());
    expect(found).toEqual({ about: NOTHING_FOUND, failure: null });
  });

  test('while the forge is away, with its error', async () => {
    const fetchProject = async (): Promise<never> => {
      throw new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'away', disposition: { kind: 'retry' } });
    };
    expect(await find(EVENTS.handoff, { read: { fetchProject } })).toEqual({
      about: NOTHING_FOUND,
      failure: 'FORGE_UNAVAILABLE',
    });
  });
});

test('the longest name and address are still told', async () => {
  const [path, webUrl] = ['x'.repeat(1_000), 'y'.repeat(2_000)];
  const { about } = await find(EVENTS.webhook_dead, { read: named({ path, webUrl }) });
  expect(about).toEqual({ project: path, url: webUrl, number: null });
});

test('a mistake in our own code, or the end of the service, is no answer of the forge', async () => {
  const fail = (error: Error): NotifyForge['read'] => ({
    fetchProject: async () => {
      throw error;
    },
  });
  await expect(find(EVENTS.handoff, { read: fail(new TypeError('a mistake')) })).rejects.toThrow('a mistake');
  const away = new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'away', disposition: { kind: 'retry' } });
  const leaving = AbortSignal.abort(new Error('leaving'));
  await expect(find(EVENTS.handoff, { read: fail(away) }, leaving)).rejects.toThrow('leaving');
});
