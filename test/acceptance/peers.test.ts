/** The table of bug reports about peers, and the cases without another test. */
import { describe, expect, it } from 'vitest';
import { anchor } from '../../shared/diff/position/anchor.ts';
import { annotate } from '../../shared/diff/annotate/annotate.ts';
import { toForgejoLines } from '../../shared/diff/position/forgejo-position.ts';
import { decide } from '../../shared/rounds/decide/decide.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import { diffOf, modified } from '../shared/diff/diff-text.ts';
import { signal, text } from '../shared/forge/conformance-bench.ts';
import { useGitlab } from '../shared/forge/gitlab-bench.ts';
import * as make from '../shared/rounds/builders.ts';
import { brokenProofs } from './named-test.ts';
import { PEERS } from './peers.ts';

const OWED: Readonly<Record<string, readonly number[]>> = {
  'C-A A': [1, 2, 3, 4, 6, 9, 10, 11, 12, 14, 15],
  'C-B B': [1, 2, 4, 5, 6, 7, 9, 10, 12, 13],
  'C-C W': [1, 2, 4, 5, 7, 8, 9, 10, 12, 14, 15],
  'C-E G': [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 17, 18, 20, 21, 22, 23, 25],
  'C-F F': [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21],
  'C-G V': [1, 2, 3, 5, 7, 8],
  'C-H K': [1, 2, 5, 6, 7, 8],
  'C-I T': [1, 3, 4, 5],
  'C-J S': [1, 2, 4, 5, 7, 8],
};

describe('the table of peers', () => {
  it('has every case of the study that this part owes, and no other', () => {
    const owed = Object.entries(OWED).flatMap(([prefix, numbers]) => numbers.map((each) => `${prefix}${each}`));
    expect(Object.keys(PEERS).toSorted()).toEqual(owed.toSorted());
  });

  it('leads from each case to tests that are there, or to a reason', () => {
    expect(brokenProofs(PEERS)).toEqual([]);
  });
});

const wishesOf = (events: readonly InboxEvent[], state: GuardState): readonly string[] => {
  const input = { events, state, facts: make.facts(), policy: make.policy(), nowMs: make.NOW };
  return decide({ ...input, freshRunId: make.runId('fresh') })
    .steps.map(({ effect }) => effect)
    .filter((effect) => ['want', 'acquire_slot', 'announce'].includes(effect));
};

describe('several events about one head', () => {
  it.each([
    ['W1, G9: opened and pushed at once', [make.forgeEvent('opened'), make.forgeEvent('pushed')]],
    ['W1, G9: made ready by the update that also pushed', [make.forgeEvent('pushed'), make.forgeEvent('ready')]],
  ])('%s ask for one review', (_name, events) => {
    expect(wishesOf(events, make.state())).toEqual(['want', 'acquire_slot']);
  });

  it('W2: the same update again while the review is under way asks for nothing', () => {
    const again = [make.forgeEvent('pushed', { id: 'one' }), make.forgeEvent('pushed', { id: 'two' })];
    expect(wishesOf(again, make.state({ running: make.run(), slotHeld: true }))).toEqual([]);
  });
});

const hunk = (line: number, bad: string): string =>
  `@@ -${line},3 +${line},3 @@\n before ${line};\n-old ${line};\n+${bad};\n after ${line};\n`;

describe('places in a diff', () => {
  const three = diffOf(modified('a.lua', hunk(9, 'first'), hunk(40, 'second'), hunk(80, 'third')));
  const at = (line: number) => anchor(three, { path: 'a.lua', side: 'new', startLine: line, line });

  it('G2: the first of three hunks is seen and can be commented, as the last', () => {
    expect(annotate(three.files, { maxBytes: 10_000 }).text.match(/^\+ \d+:.+$/gm)).toEqual([
      '+ 10:first;',
      '+ 41:second;',
      '+ 81:third;',
    ]);
    const placed = [10, 41, 81].map((line) => {
      const found = at(line);
      return found.kind === 'refused' ? found.reason : found.position.end.newLine;
    });
    expect(placed).toEqual([10, 41, 81]);
  });

  it('G21: a comment names the line of the file, not its place in the hunk', () => {
    const found = at(11);
    if (found.kind === 'refused') throw new Error(found.reason);
    expect(toForgejoLines(found.position, { supportsRanges: false })).toEqual({
      path: 'a.lua',
      old_position: 0,
      new_position: 11,
    });
  });
});

describe('on GitLab', () => {
  const bench = useGitlab();

  it('B5: a summary is a plain note that blocks no merge, and stays one when it is edited', async () => {
    const { forge, changeRequest, sim } = bench.world;
    await forge.write.createComment(changeRequest, text('under review'), signal);
    const [comment] = await bench.comments();
    if (comment === undefined) throw new Error('the comment was deleted');
    await forge.write.editComment(changeRequest, comment, text('nothing to say'), signal);
    const { comments, threads } = sim.snapshot(bench.world.project, 1);
    expect({ comments: comments.map(({ body }) => body), threads }).toEqual({
      comments: ['nothing to say'],
      threads: [],
    });
  });

  it('W8: a project below four groups is found and read by its path and by its id', async () => {
    const { sim, forge, bot } = bench.world;
    for (const group of ['a', 'a/b', 'a/b/c', 'a/b/c/d']) sim.createGroup(group);
    await sim.createProject('a/b/c/d/proj');
    sim.addMember('a/b/c/d/proj', bot.login, 30);
    const found = await forge.read.findProject('a/b/c/d/proj', signal);
    expect(found?.path).toBe('a/b/c/d/proj');
    expect(await forge.read.fetchProject(found?.id ?? 0, signal)).toEqual(found);
  });
});
