import { describe, expect, it } from 'vitest';
import { commandsOf } from '../../../../shared/rounds/commands/new-commands.ts';
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

describe('a fence', () => {
  const inFence = (...lines: readonly string[]): readonly boolean[] => lines.map(createFenceWatch());

  it('is seen after an indented code span, and not after an indented fence', () => {
    expect(inFence('  `code`', '```', 'inside', '```', 'outside')).toEqual([false, false, true, false, false]);
    expect(inFence('  ```', '```', 'inside')).toEqual([false, false, false]);
    expect(inFence('  ~~~', '~~~', 'inside')).toEqual([false, false, false]);
  });
});
