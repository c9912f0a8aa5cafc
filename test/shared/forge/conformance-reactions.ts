import { describe, expect, it } from 'vitest';
import { type Bench, signal } from './conformance-bench.ts';

/** Thumbs on comments, as people give and take them by hand. */
export const describeReactions = (bench: Bench): void => {
  const { withBody, review, on } = bench;
  const thumbsOn = async (body: string) => {
    const { id } = await withBody(body);
    return bench.world.forge.read.fetchThumbs(bench.world.changeRequest, id, signal);
  };

  describe('thumbs', () => {
    it('are read with the account that gave them, and without other reactions', async () => {
      const { people, author, owner, reader } = bench.world;
      await review([on('added', 'a finding'), on('range', 'another finding')]);
      await people.react(author, 'a finding', 'up');
      await people.react(author, 'a finding', 'eyes');
      await people.react(owner, 'a finding', 'down');
      await people.react(reader, 'another finding', 'down');
      expect(await thumbsOn('a finding')).toEqual([
        { accountId: author.id, thumb: 'up' },
        { accountId: owner.id, thumb: 'down' },
      ]);
      expect(await thumbsOn('another finding')).toEqual([{ accountId: reader.id, thumb: 'down' }]);
    });

    it('are none on a comment without reactions, and on one that is gone', async () => {
      await review([on('added', 'a finding')]);
      expect(await thumbsOn('a finding')).toEqual([]);
      expect(await bench.world.forge.read.fetchThumbs(bench.world.changeRequest, '999999', signal)).toEqual([]);
    });

    it('cost one request for each comment', async () => {
      await review([on('added', 'a finding')]);
      const { id } = await withBody('a finding');
      const before = bench.world.requests();
      await bench.world.forge.read.fetchThumbs(bench.world.changeRequest, id, signal);
      expect(bench.world.requests() - before).toBe(1);
    });
  });
};
