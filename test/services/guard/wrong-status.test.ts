/** What the sweep takes for a status that somebody else wrote, or that never arrived. */
import { describe, expect, test } from 'vitest';
import type { KnownForge } from '../../../services/guard/deps.ts';
import { fetchFacts } from '../../../services/guard/facts.ts';
import { type ForgeErrorCode, ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { ChangeRequestFacts } from '../../../shared/forge/port-facts.ts';
import type { CommitStatus } from '../../../shared/forge/port-statuses.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { never } from '../../shared/workspace/repository.ts';

const { status } = make;
const HEAD = make.sha('head');
const SWEPT: InboxEvent = { source: 'sweep', id: 's', atMs: 0, head: HEAD };
const VERDICT = signMarker(summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted'), make.SECRET);

type Wish = {
  readonly statuses: readonly CommitStatus[] | ForgeErrorCode;
  /** The bot's summary has the verdict "feedback" for this head. */
  readonly reviewed?: boolean;
  readonly facts?: Partial<ChangeRequestFacts>;
  readonly events?: readonly InboxEvent[];
};

const isWrong = async ({ statuses, reviewed = true, facts = {}, events = [SWEPT] }: Wish): Promise<boolean> => {
  const changeRequest = make.changeRequest({ head: HEAD, ...facts });
  const said = make.comment(VERDICT, { author: { id: make.BOT_ID, login: 'fixpoint' } });
  // Only these methods are called.
  const read = {
    fetchChangeRequest: async () => changeRequest,
    fetchComments: async () => (reviewed ? [said] : []),
    fetchStatuses: async () => {
      if (typeof statuses !== 'string') return statuses;
      throw new ForgeRequestError({ code: statuses, message: 'x', disposition: { kind: 'retry' }, fields: {} });
    },
  } as unknown as KnownForge['read'];
  const otherBots = { ignored: new Set<number>(), allowed: new Set<number>(), marks: null };
  const forge: KnownForge = { read, botIds: new Set([make.BOT_ID]), otherBots, mention: 'fixpoint' };
  const asking = { forge, of: changeRequest.changeRequest, events, seenCommands: null, markerSecrets: [make.SECRET] };
  return (await fetchFacts({ ...asking, policy: make.policy(), signal: never() })).wrongStatus === true;
};

describe('the status of a head with a verdict', () => {
  test.each([
    ['the verdict', [status('failure')], false],
    ['a pass', [status('success')], true],
    ['still pending', [status('pending')], true],
    // It was never written, or its commit was replaced: the poster writes it when it posts.
    ['not there', [], false],
    ['only that of another tool', [status('success', { context: 'build' })], false],
    ['the verdict, beside a pass of another tool', [status('success', { context: 'build' }), status('failure')], false],
    ['only in another place, such as an older pipeline', [status('failure', { elsewhere: true })], true],
  ] as const)('is %s', async (_what, statuses, expected) => {
    expect(await isWrong({ statuses })).toBe(expected);
  });

  test.each([
    ['an event that is not the sweep’s', { events: [make.forgeEvent('pushed')] }],
    ['a closed change request', { facts: { state: 'closed' } }],
  ] as const)('is not read for %s', async (_what, wish) => {
    expect(await isWrong({ statuses: 'FORGE_UNAVAILABLE', ...wish })).toBe(false);
  });

  test('is right when the forge refuses to show it, and unknown when the forge does not answer', async () => {
    expect(await isWrong({ statuses: 'FORGE_FORBIDDEN' })).toBe(false);
    expect(await isWrong({ statuses: 'FORGE_NOT_FOUND' })).toBe(false);
    await expect(isWrong({ statuses: 'FORGE_UNAVAILABLE' })).rejects.toThrow(ForgeRequestError);
  });
});

describe('the status of a head without a verdict', () => {
  const statusPlace = 'pipeline:7';

  test('is not read where a commit has one place: nothing is expected of it', async () => {
    expect(await isWrong({ reviewed: false, statuses: 'FORGE_UNAVAILABLE' })).toBe(false);
  });

  test.each([
    ['pending', [status('pending')], false],
    ['a pass, which its run may just have written', [status('success')], false],
    ['not there', [], false],
    ['only in an older pipeline', [status('pending', { elsewhere: true })], true],
  ] as const)('is %s, where it belongs to a pipeline', async (_what, statuses, expected) => {
    expect(await isWrong({ reviewed: false, statuses, facts: { statusPlace } })).toBe(expected);
  });
});
