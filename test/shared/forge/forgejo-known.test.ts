/** What of a reading of a moment ago is not read again. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { KnownComments } from '../../../shared/forge/port.ts';
import { createBench, signal, text } from './conformance-bench.ts';
import { type ForgejoHall, type ForgejoWorld, startForgejoHall } from './forgejo-world.ts';

describe.each(['forgejo-15', 'gitea-1.26'] as const)('a known reading on %s', (flavour) => {
  const bench = createBench();
  let hall: ForgejoHall;
  let world: ForgejoWorld;
  beforeAll(async () => {
    hall = await startForgejoHall(flavour);
  });
  beforeEach(async () => {
    world = await hall.open();
    bench.world = world;
    await bench.review([bench.on('added', 'one'), bench.on('removed', 'two')]);
    await bench.say('three');
  });
  afterEach(async () => world.close());
  afterAll(async () => hall.close());

  /** The lists that were asked for. */
  const readBy = async (known: KnownComments) => {
    const before = world.sim.requests.length;
    const comments = await world.forge.read.fetchComments(world.changeRequest, signal, known);
    const asked = world.sim.requests.slice(before).map(({ path }) => path.split('?')[0]?.split('/').slice(-1)[0]);
    const inReviews = world.sim.requests.slice(before).filter(({ path }) => /reviews\/\d+\/comments/.test(path));
    return { comments, asked, inReviews: inReviews.length };
  };
  const edit = async (body: string, after: string): Promise<void> =>
    world.forge.write.editComment(world.changeRequest, await bench.withBody(body), text(after), signal);
  const handed = (comments: readonly ForgeComment[]): readonly ForgeComment[] => structuredClone(comments);

  test.each([
    ['as it was read', (comments: readonly ForgeComment[]) => comments],
    ['as another process read it', handed],
  ] as const)('F-R13: where the conversation was written in, only that is read: %s', async (_, as) => {
    const comments = as(await bench.comments());
    await edit('three', 'four');
    const again = await readBy({ comments, written: 'conversation' });
    expect([again.asked, again.inReviews]).toEqual([['comments'], 0]);
    expect(again.comments).toEqual(await bench.comments());
  });

  test('F-R13: where threads were written in, they are read, and the list of reviews is not', async () => {
    const comments = handed(await bench.comments());
    await edit('one', 'closed');
    await edit('three', 'four');
    const again = await readBy({ comments, written: 'threads' });
    expect([again.asked, again.inReviews]).toEqual([['comments', 'comments'], 1]);
    expect(again.comments).toEqual(await bench.comments());
  });

  test('everything is read where a comment does not tell its review', async () => {
    const comments = (await bench.comments()).map((comment) => ({ ...comment, threadId: null }));
    await edit('one', 'closed');
    const again = await readBy({ comments, written: 'threads' });
    expect(again.asked).toContain('reviews');
    expect(again.comments).toEqual(await bench.comments());
  });
});
