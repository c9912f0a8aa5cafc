/** The body of a review that was edited: Forgejo and Gitea list reviews with their first text. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { sanitize } from '../../../shared/text/sanitize.ts';
import type { PostableBody } from '../../../shared/text/postable-body.ts';
import { type ForgejoHall, startForgejoHall } from './forgejo-world.ts';

const text = (body: string): PostableBody =>
  sanitize(body, { forgeBaseUrl: 'https://forge.example', maxLength: 10_000, secrets: [], mayMention: [] }).body;

describe.each([
  { flavour: 'forgejo-15' as const, kind: 'forgejo' as const },
  { flavour: 'gitea-1.27' as const, kind: 'gitea' as const },
])('on $flavour', ({ flavour, kind }) => {
  let hall: ForgejoHall;
  beforeAll(async () => {
    hall = await startForgejoHall(flavour);
  });
  afterAll(async () => hall?.close());
  const { signal } = new AbortController();

  test('is read as it is now, by the account that edited it and by others, whatever else is said after it', async () => {
    const world = await hall.open();
    const { changeRequest: of, head } = world;
    const isEdited = (body: string): boolean => body.startsWith('The living');
    const connect = async () => {
      const token = hall.sim.createToken('fixpoint');
      return connectForge({ id: of.forge, kind, baseUrl: hall.sim.url, token, isEdited }, signal);
    };
    const [writer, reader] = [await connect(), await connect()];
    const review = { head, base: head, targetHead: head, comments: [] };
    await writer.write.submitReview(of, { ...review, body: text('The living summary, first.') }, signal);
    for (let index = 0; index < 7; index += 1) await writer.write.createComment(of, text(`Word ${index}.`), signal);
    const before = await writer.read.fetchComments(of, signal);
    const [summary] = before.filter((comment) => comment.kind === 'review_body');
    if (summary === undefined) throw new Error('no review');
    await writer.write.editComment(of, summary, text('The living summary, second.'), signal);
    const others = await reader.read.fetchComments(of, signal);
    expect(others.find((comment) => comment.kind === 'review_body')?.body).toBe('The living summary, second.');
    const requests = hall.sim.requests.length;
    const known = { comments: before, written: 'review' } as const;
    const after = await writer.read.fetchComments(of, signal, known);
    // The answer to the edit is the reading: nothing is asked.
    expect(hall.sim.requests.length).toBe(requests);
    expect(after.find((comment) => comment.kind === 'review_body')?.body).toBe('The living summary, second.');
    expect(after).toHaveLength(before.length);
    // It is used once, because somebody else may edit the review.
    const again = await writer.read.fetchComments(of, signal, known);
    expect(hall.sim.requests.length).toBeGreaterThan(requests);
    expect(again.find((comment) => comment.kind === 'review_body')?.body).toBe('The living summary, second.');
    await world.close();
  });

  test('is left out once somebody has deleted its comment, and others stay', async () => {
    const world = await hall.open();
    const { changeRequest: of, head } = world;
    const token = hall.sim.createToken('fixpoint');
    const isEdited = (body: string): boolean => body.startsWith('The living');
    const forge = await connectForge({ id: of.forge, kind, baseUrl: hall.sim.url, token, isEdited }, signal);
    const review = { head, base: head, targetHead: head, comments: [] };
    await forge.write.submitReview(of, { ...review, body: text('The living summary.') }, signal);
    await forge.write.submitReview(of, { ...review, body: text('A plain review.') }, signal);
    const before = await forge.read.fetchComments(of, signal);
    const address = before.find(({ body }) => body.startsWith('The living'))?.webUrl ?? '';
    const [, repo = '', id = ''] = /([^/]+\/[^/]+)\/pulls\/\d+#issuecomment-(\d+)$/.exec(address) ?? [];
    hall.sim.changeComment({ repo, id: Number(id), as: world.owner.login, body: null });
    // In a list that was read before, the review still has its address.
    for (const known of [
      undefined,
      { comments: before, written: 'threads' },
      { comments: before, written: 'review' },
    ] as const) {
      const left = await forge.read.fetchComments(of, signal, known);
      expect(left.map(({ body }) => body)).toEqual(['A plain review.']);
    }
    await world.close();
  });

  test('stays when only the timeline does not show its comment', async () => {
    const world = await hall.open();
    const { changeRequest: of, head } = world;
    const token = hall.sim.createToken('fixpoint');
    const isEdited = (body: string): boolean => body.startsWith('The living');
    const forge = await connectForge({ id: of.forge, kind, baseUrl: hall.sim.url, token, isEdited }, signal);
    const review = { head, base: head, targetHead: head, comments: [] };
    await forge.write.submitReview(of, { ...review, body: text('The living summary.') }, signal);
    const nothing = hall.sim.fault({ path: /\/timeline/, times: 5 }, { kind: 'status', status: 200, body: '[]' });
    const read = await forge.read.fetchComments(of, signal);
    expect(read.map(({ body }) => body)).toEqual(['The living summary.']);
    expect(nothing.remaining()).toBe(0);
    await world.close();
  });

  test('is read although the timeline has an event whose comment elsewhere was deleted', async () => {
    const world = await hall.open();
    const { changeRequest: of, head } = world;
    const isEdited = (body: string): boolean => body.startsWith('The living');
    const token = hall.sim.createToken('fixpoint');
    const forge = await connectForge({ id: of.forge, kind, baseUrl: hall.sim.url, token, isEdited }, signal);
    hall.sim.loseReference({ repo: world.projectPath, number: 1, as: world.reader.login });
    const review = { head, base: head, targetHead: head, comments: [] };
    await forge.write.submitReview(of, { ...review, body: text('The living summary, first.') }, signal);
    hall.sim.loseReference({ repo: world.projectPath, number: 1, as: world.reader.login });
    const [summary] = await forge.read.fetchComments(of, signal);
    if (summary === undefined) throw new Error('no review');
    await forge.write.editComment(of, summary, text('The living summary, second.'), signal);
    const read = await forge.read.fetchComments(of, signal);
    expect(read.map(({ body }) => body)).toEqual(['The living summary, second.']);
    await world.close();
  });
});
