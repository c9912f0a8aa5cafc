/** How a review lands on GitLab: drafts published together, or threads one by one. */
import { describe, expect, it } from 'vitest';
import { ForgeUnknownOutcomeError, InlineRefusedError } from '../../../shared/forge/errors.ts';
import { failureOf } from './conformance-bench.ts';
import { useGitlab } from './gitlab-bench.ts';

const bench = useGitlab();
const { at, fault, comments, bodies, on, review, written, bodiesSent } = bench;

describe('a review on GitLab', () => {
  it('of several comments is published in one go', async () => {
    await review([on('added', 'one'), on('removed', 'two'), on('range', 'three')]);
    expect(written()).toEqual([
      'POST /draft_notes',
      'POST /draft_notes',
      'POST /draft_notes',
      'POST /draft_notes/bulk_publish',
    ]);
    expect((await bodies()).toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('of one comment is one thread', async () => {
    await review([on('added', 'one')]);
    expect(written()).toEqual(['POST /discussions']);
  });

  it('names the commits of the version, both lines of a context line and one of any other', async () => {
    await review([on('added', 'one'), on('range', 'two')]);
    const commits = { base_sha: bench.world.base, start_sha: bench.world.base, head_sha: bench.world.head };
    const place = { ...commits, position_type: 'text', old_path: 'app.txt', new_path: 'app.txt' };
    expect(bodiesSent(/draft_notes$/)).toEqual([
      { note: 'one', position: { ...place, new_line: 5 } },
      { note: 'two', position: { ...place, new_line: 27, line_range: expect.any(Object) } },
    ]);
  });

  it('refuses a draft that would vanish when it is published, and leaves no draft behind', async () => {
    const refused = await failureOf(review([on('added', 'good'), on('nowhere', 'bad')]));
    expect(refused).toMatchObject({ code: 'FORGE_INLINE_REFUSED', index: 1 });
    expect(bench.world.sim.mergeRequestAt(at()).drafts).toEqual([]);
    expect(written().filter((request) => request.includes('publish'))).toEqual([]);
  });

  it.each([1, 2])('tries the last line when a range is refused, in a review of %i', async (count) => {
    const path = count === 1 ? /\/discussions$/ : /\/draft_notes$/;
    fault({ method: 'POST', path, body: /line_range/ }, { kind: 'status', status: 400 });
    await review([on('range', 'one'), on('added', 'two')].slice(0, count));
    const found = (await comments()).find(({ body }) => body === 'one');
    expect(found?.place).toEqual({ path: 'app.txt', side: 'new', line: 27 });
    expect(bodiesSent(path)).toHaveLength(count + 1);
  });

  it('clears away what a broken attempt left of the same comments', async () => {
    fault({ method: 'POST', path: /bulk_publish/ }, { kind: 'reset' });
    expect(await failureOf(review([on('added', 'one'), on('range', 'two')]))).toBeInstanceOf(ForgeUnknownOutcomeError);
    expect(bench.world.sim.mergeRequestAt(at()).drafts).toHaveLength(2);
    await review([on('added', 'one'), on('range', 'two')]);
    expect(await bodies()).toEqual(['one', 'two']);
    expect(bench.world.sim.mergeRequestAt(at()).drafts).toEqual([]);
    expect(written().filter((request) => request.includes('publish'))).toHaveLength(2);
  });

  it('publishes only its own drafts when another appears meanwhile', async () => {
    const appears = {
      kind: 'meanwhile',
      task: () => bench.world.people.startDraft(bench.world.bot, 5, 'by hand'),
    } as const;
    fault({ method: 'POST', path: /draft_notes$/, body: /"one"/, user: bench.world.bot.login }, appears);
    await review([on('added', 'one'), on('range', 'two')]);
    expect((await bodies()).toSorted()).toEqual(['one', 'two']);
    expect(bench.world.sim.mergeRequestAt(at()).drafts.map(({ note }) => note)).toEqual(['by hand']);
  });

  it('says that some stand when one of several single threads is refused', async () => {
    await bench.world.people.startDraft(bench.world.bot, 5, 'by hand');
    const posting = review([on('added', 'one'), on('nowhere', 'two'), on('range', 'three')]);
    const error = await failureOf(posting);
    expect(error).toBeInstanceOf(ForgeUnknownOutcomeError);
    expect(error.fields).toMatchObject({ reason: 'partly_refused', published: 2 });
    expect((await bodies()).toSorted()).toEqual(['one', 'three']);
    const again = await failureOf(review([on('nowhere', 'two')]));
    expect(again).toBeInstanceOf(InlineRefusedError);
    expect(again).toMatchObject({ index: 0 });
  });

  it('waits until the diff of the head is prepared', async () => {
    bench.world.sim.setPrepareDelay(60_000);
    const head = await bench.world.people.push();
    bench.world.sim.setPrepareDelay(0);
    await review([on('added', 'one'), on('range', 'two')], head);
    expect((await bodies()).toSorted()).toEqual(['one', 'two']);
  });

  it('goes back to the queue when the diff of the head is never prepared', async () => {
    const error = await failureOf(review([on('added', 'one')], 'f'.repeat(40) as typeof bench.world.head));
    expect([error.code, error.disposition, error.fields['reason']]).toEqual([
      'FORGE_UNAVAILABLE',
      { kind: 'retry' },
      'not_prepared',
    ]);
    expect(bench.world.slept()).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    expect(await bodies()).toEqual([]);
  });

  it('of an older head lands on that one', async () => {
    await bench.world.people.push();
    await review([on('added', 'one'), on('range', 'two')]);
    expect((await bodies()).toSorted()).toEqual(['one', 'two']);
  });
});
