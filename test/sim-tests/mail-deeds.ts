/** What a bot does to a change request, through the product's own adapter. */
import { connectForge } from '../../shared/forge/kinds/connect.ts';
import type { ForgeComment } from '../../shared/forge/port-facts.ts';
import type { Forge, OutgoingInline } from '../../shared/forge/port.ts';
import type { Position, PositionLine } from '../../shared/diff/position/position.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import { sanitize } from '../../shared/text/sanitize.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { CommitSha, ForgeId } from '../../shared/vocabulary/ids.ts';
import { tipOf } from '../integration/head-deeds.ts';
import { homeOf } from '../integration/verdict-stage.ts';
import { type FleetSim, handsOn } from '../support/fleet-forge.ts';

export type Deed =
  | 'creates a comment'
  | 'edits a comment'
  | 'deletes a comment'
  | 'reacts to a comment'
  | 'submits three comments as one review'
  | 'publishes one comment on a line'
  | 'answers in a thread'
  | 'edits a comment on a line'
  | 'resolves one of two threads'
  | 'resolves the last thread'
  | 'writes a status';

type Act = () => Promise<void>;
type Doing = { readonly prepare: Act; readonly act: Act };
type Wish = { readonly kind: ForgeKind; readonly repo: string; readonly number: number; readonly token: string };

const nothing: Act = async () => {};

const text = (body: string): PostableBody =>
  sanitize(body, { forgeBaseUrl: 'https://forge.example', maxLength: 10_000, secrets: [], mayMention: [] }).body;

/** Of the file `a.txt`, whose first line stands in both versions. */
const line = (newLine: number): OutgoingInline => {
  const end: PositionLine = { kind: 'added', oldLine: null, newLine, lineCodeOld: 2, lineCodeNew: newLine };
  const position: Position = { oldPath: 'a.txt', newPath: 'a.txt', side: 'new', start: end, end };
  return { position, body: text(`Line ${newLine}.`) };
};

export const deedsOn = (sim: FleetSim, wish: Wish): Readonly<Record<Deed, Doing>> => {
  const { signal } = new AbortController();
  const of = { forge: ForgeId.parse('sim'), projectId: homeOf(sim, wish.repo).id, number: wish.number };
  const connect = async (): Promise<Forge> =>
    connectForge({ id: of.forge, kind: wish.kind, baseUrl: sim.url, token: wish.token }, signal);
  const tip = async (branch: string) => CommitSha.parse(await tipOf({ sim, repo: wish.repo }, branch));

  const review = async (...lines: readonly number[]): Promise<void> => {
    const [head, base] = [await tip('work'), await tip('main')];
    const comments = lines.map(line);
    await (await connect()).write.submitReview(
      of,
      { head, base, targetHead: base, body: text('All.'), comments },
      signal,
    );
  };
  const said = async (kind: ForgeComment['kind']): Promise<ForgeComment> => {
    const all = await (await connect()).read.fetchComments(of, signal);
    const [found] = all.filter((each) => each.kind === kind);
    if (found === undefined) throw new Error(`no comment of kind ${kind}`);
    return found;
  };
  const comment: Act = async () => (await connect()).write.createComment(of, text('A word.'), signal);
  const byAuthor: Act = async () =>
    handsOn(sim).comment({ repo: wish.repo, number: wish.number, as: 'author', body: 'Please.' });
  const resolve: Act = async () => {
    const { resolving } = await connect();
    const { threadId } = await said('inline');
    if (resolving !== null && threadId !== null) await resolving.resolveThread(of, threadId, signal);
  };
  const status: Act = async () => {
    const outgoing = { state: 'pending', context: 'fixpoint', description: 'At work', targetUrl: null } as const;
    await (await connect()).write.writeStatus(
      of,
      { head: await tip('work'), sourceBranch: 'work', ...outgoing },
      signal,
    );
  };
  const edit =
    (kind: ForgeComment['kind']): Act =>
    async () => {
      const found = await said(kind);
      await (await connect()).write.editComment(of, found, text('Other words.'), signal);
    };
  const answer: Act = async () => {
    const { threads } = await connect();
    const { threadId } = await said('inline');
    // Without threads the poster answers in the conversation.
    if (threads === null || threadId === null) await comment();
    else await threads.reply(of, threadId, text('An answer.'), signal);
  };
  return {
    'creates a comment': { prepare: nothing, act: comment },
    'edits a comment': { prepare: comment, act: edit('conversation') },
    'deletes a comment': {
      prepare: comment,
      act: async () => (await connect()).write.deleteComment(of, await said('conversation'), signal),
    },
    'reacts to a comment': {
      prepare: byAuthor,
      act: async () => (await connect()).write.react(of, (await said('conversation')).id, 'eyes', signal),
    },
    'submits three comments as one review': { prepare: nothing, act: async () => review(2, 3, 4) },
    'publishes one comment on a line': { prepare: nothing, act: async () => review(2) },
    'answers in a thread': { prepare: async () => review(2), act: answer },
    'edits a comment on a line': { prepare: async () => review(2), act: edit('inline') },
    'resolves one of two threads': { prepare: async () => review(2, 3), act: resolve },
    'resolves the last thread': { prepare: async () => review(2), act: resolve },
    'writes a status': { prepare: nothing, act: status },
  };
};
