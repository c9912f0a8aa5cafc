/** Stores an agent's accepted work until its job has ended, so that a retry does not pay for the model calls again. */
import { z } from 'zod';
import { Decline } from '../../shared/rounds/model/fix-brief.ts';
import { FindingId, RunId } from '../../shared/vocabulary/ids.ts';
import type { Spent } from '../../shared/vocabulary/spent.ts';
import type { FixWork } from './change/agent.ts';

const StoredChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('write'), path: z.string(), content: z.base64() }),
  z.object({ kind: z.literal('delete'), path: z.string() }),
]);

export const StoredWork = z.object({
  v: z.literal(1),
  runId: RunId,
  changes: z.array(StoredChange),
  addressed: z.array(FindingId).nullable(),
  declines: z.array(Decline),
  summary: z.string(),
});
export type StoredWork = z.output<typeof StoredWork>;

/** The change was accepted, so none of its files is `odd`. */
export const toStoredWork = (runId: RunId, { changes, addressed, declines, summary }: FixWork): StoredWork => ({
  v: 1,
  runId,
  changes: changes.flatMap((change): StoredWork['changes'] => {
    if (change.kind === 'odd') return [];
    if (change.kind === 'delete') return [change];
    return [{ ...change, content: Buffer.from(change.content).toString('base64') }];
  }),
  addressed: addressed === null ? null : [...addressed],
  declines: [...declines],
  summary,
});

export const fromStoredWork = ({ changes, addressed, declines, summary }: StoredWork, spent: Spent): FixWork => ({
  changes: changes.map((change) =>
    change.kind === 'delete' ? change : { ...change, content: Buffer.from(change.content, 'base64') },
  ),
  addressed,
  declines,
  summary,
  spent,
});
