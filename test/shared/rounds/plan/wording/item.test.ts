import { expect, it } from 'vitest';
import type { Thread } from '../../../../../shared/rounds/model/history.ts';
import { itemOf } from '../../../../../shared/rounds/plan/wording/item.ts';
import { thread } from '../../builders.ts';

it.each<readonly [Partial<Thread>, boolean, Thread['state'], string]>([
  [{}, false, 'open', ''],
  [{ state: 'unverified' }, false, 'unverified', 'not verified'],
  [{ state: 'vetoed' }, false, 'vetoed', 'waits for a person'],
  [{ state: 'escalated' }, false, 'escalated', 'waits for a person'],
  [{ state: 'dismissed' }, false, 'dismissed', 'dismissed'],
  [{ state: 'resolved' }, false, 'resolved', ''],
  [{ state: 'resolved', again: true }, false, 'open', 'open again'],
  [{ listed: true }, false, 'open', 'no thread'],
  [{ listed: true, state: 'resolved' }, false, 'resolved', ''],
  [{ outside: true }, false, 'open', 'no longer in this change'],
  [{ outside: true, state: 'resolved' }, false, 'resolved', ''],
  [{ listed: true, outside: true }, true, 'open', 'raised again, no thread, no longer in this change'],
])('a thread that is %j (raised again: %s) is shown as %s, with the note "%s"', (patch, again, state, note) => {
  expect(itemOf(thread(patch), again)).toMatchObject({ state, note });
});
