/** What an acknowledgement says where the commit has a status already. */
import { expect, test } from 'vitest';
import { acknowledge } from '../../../services/poster/acknowledge.ts';
import type { StatusState } from '../../../shared/forge/port-statuses.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { FREE_PLACE } from './free-place.ts';
import { createMemoryForge, postingOn } from './memory-forge.ts';

const FACTS = make.changeRequest();
const PLAN = buildAcknowledgePlan(
  { facts: FACTS, history: make.history(), policy: make.policy() },
  { input: inputOf(FACTS), noteId: null, noticeId: make.runId('n') },
);
/** The verdict is "feedback", so the status of the input is a failure. */
const REVIEWED = make.comment(signMarker(summaryBy({ seed: 'run', attempt: 1, runs: 1 }, 'posted'), make.SECRET));
const WAITING = [['pending', PLAN.status?.description]];
const VERDICT = [['failure', 'Problems to fix before merging']];

test.each<readonly [string, number, StatusState | null, 'reviewed' | 'not reviewed', unknown]>([
  ['says that the review waits, where there is no status', 1, null, 'not reviewed', WAITING],
  ['says so again in no later attempt', 2, 'pending', 'not reviewed', []],
  ['says so in place of a status of another input', 1, 'success', 'not reviewed', WAITING],
  ['replaces no verdict in its first attempt', 1, 'success', 'reviewed', []],
  ['leaves a pending status alone in its first attempt', 1, 'pending', 'reviewed', []],
  ['restores in a later attempt the verdict that an earlier one may have replaced', 2, 'pending', 'reviewed', VERDICT],
  ['restores a verdict in place of another one', 2, 'success', 'reviewed', VERDICT],
  ['writes no verdict that is there', 2, 'failure', 'reviewed', []],
])('%s (attempt %i, status %s, %s)', async (_what, attempt, state, reviewed, written) => {
  const memory = createMemoryForge({
    statuses: state === null ? [] : [make.status(state)],
    before: reviewed === 'reviewed' ? [REVIEWED] : [],
  });
  const marked: string[] = [];
  const shared = { ...FREE_PLACE.shared, mark: async ({ head }: { readonly head: string }) => void marked.push(head) };
  expect(await acknowledge(postingOn(memory, PLAN, { shared }), attempt)).toBe(true);
  expect(memory.statuses.map((each) => [each.state, each.description])).toEqual(written);
  // Other change requests may wait for the commit that no longer passes.
  expect(marked).toEqual(state === 'success' && reviewed === 'not reviewed' ? [FACTS.head] : []);
});
