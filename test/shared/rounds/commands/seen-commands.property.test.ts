/** However webhooks and sweeps tell of them, calls are heard once each, and after a sweep none is left. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ForgeComment } from '../../../../shared/forge/port-facts.ts';
import { isNewCommand } from '../../../../shared/rounds/commands/new-commands.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import { commandKey, markSeen } from '../../../../shared/rounds/commands/seen-commands.ts';
import type { SeenCommands } from '../../../../shared/rounds/model/state.ts';
import { propertyRuns } from '../../../support/deep.ts';
import * as make from '../builders.ts';

const AUTHORS = [7, 8] as const;
const KINDS = ['conversation', 'inline', 'review_body'] as const;

const call = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  kind: fc.constantFrom(...KINDS),
  by: fc.constantFrom(...AUTHORS),
});
const calls = fc.uniqueArray(call, { selector: ({ id, kind }) => commandKey({ id: `${id}`, kind }), maxLength: 8 });

const event = fc.oneof(
  fc.integer({ min: 1, max: 6 }).map((noteId): InboxEvent => make.forgeEvent('comment', { noteId })),
  fc.constantFrom(...AUTHORS, null).map((actorId): InboxEvent => make.forgeEvent('human_review', { actorId })),
  fc.constant<InboxEvent>({ source: 'sweep', id: 'sweep', atMs: 0, head: make.sha('head') }),
  fc.constantFrom('pushed', 'comment_edited', 'reaction').map((kind): InboxEvent => make.forgeEvent(kind)),
);
const batches = fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 8 });

const comment = ({ id, kind, by }: { id: number; kind: ForgeComment['kind']; by: number }): ForgeComment =>
  make.comment('@fixpoint review', {
    id: `${id}`,
    kind,
    author: { id: by, login: `user-${by}` },
    createdAtMs: 5,
    updatedAtMs: 5,
  });

const play = (said: readonly ForgeComment[], all: readonly (readonly InboxEvent[])[]): readonly string[] => {
  let heard: SeenCommands = { untilMs: 0, keys: [] };
  return all.flatMap((events) => {
    const fresh = said.filter((each) => isNewCommand(each, events, heard));
    const requests = fresh.map(({ id, kind }) => make.request({ noteId: Number(id), kind }));
    heard = markSeen(heard, requests, make.NOW);
    return fresh.map(commandKey);
  });
};

const SWEEP: readonly InboxEvent[] = [{ source: 'sweep', id: 'last', atMs: 0, head: make.sha('head') }];

test('every call is heard once, in whatever order its events come, repeat or get lost', () => {
  fc.assert(
    fc.property(calls, batches, (wishes, all) => {
      const said = wishes.map(comment);
      const heard = play(said, [...all, SWEEP, SWEEP]);
      expect(heard.toSorted()).toEqual(said.map(commandKey).toSorted());
    }),
    propertyRuns(300, 20_000),
  );
});
