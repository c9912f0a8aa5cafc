import { expect, test } from 'vitest';
import { splitDiscussion } from '../../../services/guard/discussion.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import * as make from '../../shared/rounds/builders.ts';

const HUMAN = { id: 8, login: 'ada' };
const OTHER_BOT = { id: make.OTHER_BOT_ID, login: 'renovate' };
const OLD_SELF = { id: 901, login: 'fixpoint-old' };
const botIds = new Set([make.BOT_ID, OLD_SELF.id]);

const own = (body: string, patch: Partial<ForgeComment> = {}) => make.comment(body, patch);
const said = (body: string, patch: Partial<ForgeComment> = {}) => make.comment(body, { author: HUMAN, ...patch });

const opening = own('F-001', { threadId: 't1' });
const thread = make.thread({ comment: opening });

const talk = (comments: readonly ForgeComment[], threads = [thread]) => splitDiscussion({ comments, botIds, threads });
const textsOf = (list: readonly { readonly text: string }[]) => list.map(({ text }) => text);

test('an answer in the thread of a finding is a reply there and no discussion', () => {
  const answer = said("Won't fix.", { threadId: 't1' });
  const { repliesTo, discussion } = talk([opening, own('Still there.', { threadId: 't1' }), answer]);
  expect(repliesTo(thread)).toEqual([{ author: 'ada', text: "Won't fix." }]);
  expect(discussion).toEqual([]);
});

test('everything else is discussion, an answer to the summary or to another word of the bot included', () => {
  const comments = [
    opening,
    own('The summary.', { threadId: 's1' }),
    said('About the summary.', { threadId: 's1' }),
    said('In general.'),
    own('An answer to a human.', { threadId: 'h1' }),
    said('In a thread of humans.', { threadId: 'h1', place: { path: 'a.ts', side: 'new', line: 3 }, resolved: true }),
  ];
  const { repliesTo, discussion } = talk(comments);
  expect(repliesTo(thread)).toEqual([]);
  expect(discussion.map(({ text, where, resolved }) => ({ text, where, resolved }))).toEqual([
    { text: 'About the summary.', where: null, resolved: false },
    { text: 'In general.', where: null, resolved: false },
    { text: 'In a thread of humans.', where: { path: 'a.ts', line: 3 }, resolved: true },
  ]);
});

test("what the bot said is nobody else's word, under an earlier account either", () => {
  const { discussion } = talk([own('Mine.'), said('Mine too.', { author: OLD_SELF }), said('Yours.')]);
  expect(textsOf(discussion)).toEqual(['Yours.']);
});

test('other programs and deleted accounts are heard, as what they are', () => {
  const { discussion } = talk([said('Updated.', { author: OTHER_BOT }), said('I was here.', { author: null })]);
  expect(discussion.map(({ author, text }) => [author, text])).toEqual([
    ['renovate', 'Updated.'],
    ['(deleted account)', 'I was here.'],
  ]);
});

test('the 50 newest words are kept, oldest first, in whatever order the forge told them', () => {
  const many = Array.from({ length: 70 }, (_, index) => said(`${index}`, { createdAtMs: 1_000 + index }));
  const { discussion } = talk(many.toReversed());
  expect(textsOf(discussion)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 20}`));
});

test('the 20 newest answers of a thread are kept, oldest first', () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    said(`${index}`, { createdAtMs: 1_000 + index, threadId: 't1' }),
  );
  const { repliesTo } = talk([...many.toReversed(), opening]);
  expect(textsOf(repliesTo(thread))).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 10}`));
});

test('a copied marker is taken out, and a comment of nothing else does not use up a place', () => {
  const marker = signMarker(
    { kind: 'answer', note: '1', cr: make.KEY, review: 1, attempt: 1, run: make.runId('x') },
    make.SECRET,
  );
  const many = Array.from({ length: 60 }, (_, index) => said(`\n${marker}\n`, { createdAtMs: 1_000 + index }));
  const { discussion } = talk([said(`Look: ${marker}`, { createdAtMs: 1 }), ...many]);
  expect(discussion).toHaveLength(1);
  expect(discussion[0]?.text).toMatch(/^Look:\s*$/);
});

test('a long comment is cut, and no character is split', () => {
  const { discussion } = talk([said(`x${'😀'.repeat(3_000)}`)]);
  expect(discussion[0]?.text).toBe(`x${'😀'.repeat(1_999)}`);
});

test('a finding whose comment is gone, or whose forge has no threads, has no replies', () => {
  const comments = [said('In no thread.')];
  for (const comment of [null, own('F-001', { threadId: null })]) {
    const lonely = make.thread({ comment });
    expect(talk(comments, [lonely]).repliesTo(lonely)).toEqual([]);
    expect(textsOf(talk(comments, [lonely]).discussion)).toEqual(['In no thread.']);
  }
});
