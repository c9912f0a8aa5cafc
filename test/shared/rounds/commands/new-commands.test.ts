import { describe, expect, it } from 'vitest';
import { commandsOf, isNewCommand } from '../../../../shared/rounds/commands/new-commands.ts';
import { createFenceWatch } from '../../../../shared/rounds/commands/fence-watch.ts';
import * as make from '../builders.ts';

describe('the commands that an event is about', () => {
  const request = make.request({ kind: 'inline', noteId: 6 });

  it.each([
    ['a submitted review', make.forgeEvent('human_review', { actorId: request.authorId }), [request]],
    ['its comment', make.forgeEvent('comment', { noteId: 6 }), [request]],
    ['another comment', make.forgeEvent('comment', { noteId: 7 }), []],
    ['a push', make.forgeEvent('pushed', { actorId: request.authorId }), []],
    ['a change of the title', make.forgeEvent('metadata'), []],
  ])('%s', (_name, event, expected) => {
    expect(commandsOf(event, [request])).toEqual(expected);
  });
});

describe('a comment is new', () => {
  const comment = make.comment('@fixpoint review', {
    id: '6',
    author: { id: make.AUTHOR_ID, login: 'author' },
    createdAtMs: 50,
    updatedAtMs: 50,
  });
  const its = make.forgeEvent('comment', { noteId: 6 });
  const other = make.forgeEvent('comment', { noteId: 7 });
  const sweep = { source: 'sweep', id: 's', atMs: 0, head: make.sha('head') } as const;
  const nothing = { untilMs: 0, keys: [] };

  it.each([
    ['when one of several events names it', comment, [other, its, make.forgeEvent('pushed')], nothing, true],
    ['not when no event is about it', comment, [other, make.forgeEvent('pushed')], nothing, false],
    ['not when there is no event', comment, [], nothing, false],
    ['when it is older than what was heard, and an event names it', comment, [its], { untilMs: 60, keys: [] }, true],
    [
      'not when it is older than what was heard, and only the sweep saw it',
      comment,
      [sweep],
      { untilMs: 60, keys: [] },
      false,
    ],
    ['not when it was heard', comment, [its], { untilMs: 0, keys: ['6'] }, false],
    ['not when it was edited, and only the sweep saw it', { ...comment, updatedAtMs: 51 }, [sweep], nothing, false],
    ['not when its author is gone', { ...comment, author: null }, [its], nothing, false],
  ])('%s', (_when, said, events, heard, expected) => {
    expect(isNewCommand(said, events, heard)).toBe(expected);
  });
});

describe('a fence', () => {
  const inFence = (...lines: readonly string[]): readonly boolean[] => lines.map(createFenceWatch());

  it('is seen after an indented code span, and not after an indented fence', () => {
    expect(inFence('  `code`', '```', 'inside', '```', 'outside')).toEqual([false, false, true, false, false]);
    expect(inFence('  ```', '```', 'inside')).toEqual([false, false, false]);
    expect(inFence('  ~~~', '~~~', 'inside')).toEqual([false, false, false]);
  });
});
