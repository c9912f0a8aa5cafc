/**
 * The bot's comments on a change request, in memory. Plans are written by the code of the poster, and the history is
 * rebuilt from the comments, as on a forge.
 */
import { randomBytes } from 'node:crypto';
import type { ForgeComment } from '../../../../shared/forge/port-facts.ts';
import type { Position } from '../../../../shared/diff/position/position.ts';
import { readOwnMarkers } from '../../../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import type { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { difference, type Difference, isDone } from '../../../../shared/rounds/plan/difference.ts';
import { changeRequestKey } from '../../../../shared/vocabulary/ids.ts';
import { createComposer } from '../../../poster/compose.ts';
import type { CommentTarget } from '../../../poster/deps.ts';
import { callKey, closingKey, isSummaryWritten, writeDifference } from '../../../poster/write.ts';
import { BOT, LOCAL_CHANGE_REQUEST, PAGE } from './local-change-request.ts';

export type CommentList = {
  readonly comments: () => readonly ForgeComment[];
  readonly history: () => History;
  /** Contract: afterwards the comments are as the plan says. */
  readonly post: (plan: PostPlan, signal: AbortSignal) => Promise<void>;
};

/** The first pass writes threads, the second one what links to them. */
const MAX_PASSES = 5;

/** As long as on the forge with the shortest comments. */
const MAX_BODY = 65_535;

export const createCommentList = (): CommentList => {
  const list: ForgeComment[] = [];
  const secret = randomBytes(16).toString('hex');
  const key = changeRequestKey(LOCAL_CHANGE_REQUEST);
  const known = () => ({ comments: [...list], key, botIds: new Set([BOT.id]), secrets: [secret] });
  const forge = targetOf(list);
  const sanitizing = { forgeBaseUrl: PAGE, maxLength: MAX_BODY, secrets: [secret], mayShow: [BOT.login] };
  const composer = createComposer({ sanitizing, rangedSuggestions: true }, { markerSecrets: [secret] }, PAGE);
  const writeOnce = async (plan: PostPlan, written: Set<string>, signal: AbortSignal): Promise<boolean> => {
    const { own } = readOwnMarkers(known());
    const rest = withoutWritten(difference(plan, own, written), written);
    if (isDone(rest)) return true;
    const urls = new Map(
      own.flatMap(({ payload, comment }) =>
        payload.kind === 'finding' ? [[payload.id, comment.webUrl] as const] : [],
      ),
    );
    const unused = { verdict: null, called: new Map(), refused: new Set<string>(), isOurs: () => true };
    const seen = known().comments;
    await writeDifference({ ...unused, ...SILENT, forge, plan, composer, signal, seen, urls, written }, rest);
    return false;
  };
  return {
    comments: () => [...list],
    history: () => rebuildHistory(known()),
    post: async (plan, signal) => {
      // A server announces its first run in the commit status, and writes no comment.
      if (plan.announcement !== null && rebuildHistory(known()).summary === null) return;
      const written = new Set<string>();
      for (let pass = 1; pass <= MAX_PASSES; pass += 1) if (await writeOnce(plan, written, signal)) return;
      throw new Error(`the plan ${plan.planId} was not written in ${MAX_PASSES} passes`);
    },
  };
};

/** What a forge keeps may differ from what was written in details such as absent fields, so nothing is written twice. */
const withoutWritten = (rest: Difference, written: ReadonlySet<string>): Difference => ({
  ...rest,
  closings: rest.closings.filter((closing) => !written.has(closingKey(closing))),
  calls: rest.calls.filter((call) => !written.has(callKey(call))),
  summary: isSummaryWritten({ written }) ? null : rest.summary,
});

const SILENT = { metrics: { postedComments: { inc: () => {} } }, checkpoint: () => {} };

const targetOf = (list: ForgeComment[]): CommentTarget => {
  const add = (comment: Pick<ForgeComment, 'kind' | 'body'> & Partial<ForgeComment>): void => {
    const id = String(list.length + 1);
    // Counted instead of measured, so that the same reviews give the same comments.
    const times = { createdAtMs: list.length + 1, updatedAtMs: list.length + 1 };
    const threadId = comment.kind === 'inline' ? id : null;
    const fresh = { id, threadId, author: BOT, place: null, resolved: null, webUrl: `${PAGE}#comment-${id}` };
    list.push({ ...fresh, ...times, ...comment });
  };
  const change = (isMeant: (comment: ForgeComment) => boolean, changes: Partial<ForgeComment>): void => {
    for (const [index, comment] of list.entries()) if (isMeant(comment)) list[index] = { ...comment, ...changes };
  };
  return {
    write: {
      createComment: async (_of, body) => add({ kind: 'conversation', body }),
      editComment: async (_of, { id }, body) => change((each) => each.id === id, { body }),
      submitReview: async (_of, { comments }) => {
        for (const { position, body } of comments)
          add({ kind: 'inline', body, place: placeOf(position), resolved: false });
        return null;
      },
    },
    threads: { reply: async (_of, threadId, body) => add({ kind: 'inline', body, threadId }) },
    resolving: { resolveThread: async (_of, threadId) => change((each) => each.id === threadId, { resolved: true }) },
    reviewBody: false,
  };
};

const placeOf = ({ newPath, oldPath, side, end }: Position): ForgeComment['place'] =>
  side === 'new'
    ? { path: newPath, side, line: end.newLine ?? end.lineCodeNew }
    : { path: oldPath, side, line: end.oldLine ?? end.lineCodeOld };
