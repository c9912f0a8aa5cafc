/** What the bot answers in a thread when the model repeats itself: the marker of the answer never changes, its words do. */
import { describe, expect, it } from 'vitest';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { renderFinding } from '../../../../shared/rounds/memory/finding-comment.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { Handled } from '../../../../shared/rounds/model/gate-result.ts';
import type { PlannedReply } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { plannedReplies } from '../../../../shared/rounds/plan/plan-threads.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { buildRepliesPlan } from '../../../../shared/rounds/plan/thread-replies-plan.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import type { Action } from '../../../../shared/vocabulary/finding.ts';
import * as make from '../builders.ts';

const BODY = 'The formula comes from the request, so `eval` runs code of a stranger.';
const REASON = 'The new check runs after `eval`, so it comes too late.';
const RULES = make.policy({}, { threadCount: 4 });

const finding = () => {
  const draft = make.draft({ findings: [make.finding({}, { severity: 'P1', title: 'Runs code', body: BODY })] });
  const gated = gate(draft, make.history(), RULES);
  const run = make.run({ phase: 'posting' });
  const plan = buildReviewPlan({
    facts: make.changeRequest(),
    history: make.history(),
    policy: RULES,
    run,
    draft,
    gated,
  });
  const [planned] = plan.inline;
  if (planned === undefined) throw new Error('no finding was planned');
  const text = renderFinding({ severity: 'P1', title: 'Runs code', regressionOf: null, body: BODY });
  return make.comment(`${text}\n\n${signMarker(planned.marker, make.SECRET)}`, { kind: 'inline', threadId: 't1' });
};

type Before = { readonly text: string; readonly markers: readonly PlannedReply['marker'][] };

const historyOf = (said: readonly Before[]) =>
  rebuildHistory({
    comments: [
      finding(),
      ...said.map(({ text, markers }) =>
        make.comment([text, ...markers.map((marker) => signMarker(marker, make.SECRET))].join('\n\n'), {
          threadId: 't1',
        }),
      ),
    ],
    key: make.KEY,
    botIds: new Set([make.BOT_ID]),
    secrets: [make.SECRET],
  });

/** As guard has it: the thread of a stored effect lacks its comment. */
const handledIn = (history: ReturnType<typeof historyOf>, action: Action, body: string): Handled => {
  const [thread] = history.threads;
  if (thread === undefined) throw new Error('no thread');
  const state = { reply: 'open', veto: 'vetoed', escalate: 'escalated', resolve: 'resolved' } as const;
  return {
    thread: { ...thread, comment: null },
    answer: {
      findingId: thread.id,
      stance: 'seeks_change',
      action,
      severity: action === 'escalate' ? 'P0' : null,
      body,
    },
    next: {
      state: state[action],
      count: thread.count + 1,
      stance: 'seeks_change',
      severity: action === 'escalate' ? 'P0' : thread.severity,
    },
  };
};

const answer = (body: string, action: Action = 'reply', said: readonly Before[] = []): PlannedReply => {
  const history = historyOf(said);
  const [planned, ...others] = plannedReplies({
    facts: make.changeRequest(),
    history,
    policy: RULES,
    mention: 'fixpoint',
    run: make.run({ review: 2 }),
    draft: make.draft({ head: make.sha('second') }),
    gated: { handled: [handledIn(history, action, body)] },
  });
  if (planned === undefined || others.length > 0) throw new Error('not one answer');
  return planned;
};

const asSaid = ({ text, marker }: PlannedReply): Before => ({ text, markers: [marker] });
const HEAD = make.sha('second').slice(0, 10);

describe('an answer that says something new', () => {
  it.each<[Action, string]>([
    ['reply', REASON],
    ['veto', `${REASON}\n\n**A person has to decide.** The bot will not continue this discussion.`],
    ['escalate', `${REASON}\n\nThe severity is now **critical**. **A person has to decide.**`],
  ])('is posted as it is: %s', (action, text) => {
    expect(answer(REASON, action).text).toBe(text);
  });
});

describe('an answer that repeats the thread', () => {
  it('says what settles the thread instead, and how many answers are left', () => {
    expect(answer(BODY).text).toBe(
      `The problem still exists at \`${HEAD}\`; the reasons are above. To settle this thread, change \`a.ts:3\`, give a reason that is not answered above, or let somebody with write access use \`@fixpoint dismiss F-001 because …\`. The bot answers in this thread at most 2 more times.`,
    );
  });

  it('is one that repeats an earlier answer, or half of it each', () => {
    const before = asSaid(answer(REASON));
    expect(answer(REASON, 'reply', [before]).text).toMatch(
      /^The problem still exists at .* The bot answers in this thread at most once more\.$/,
    );
    expect(answer(`${BODY} ${REASON}`, 'reply', [before]).text).toMatch(/^The problem still exists/);
    expect(answer(`${REASON} Look at line 12 too.`, 'reply', [before]).text).toMatch(/^The new check/);
  });

  it('leaves only the call where it is the last', () => {
    expect(answer(BODY, 'veto').text).toBe(
      'The reasons are above.\n\n**A person has to decide.** The bot will not continue this discussion.',
    );
    expect(answer(BODY, 'escalate').text).toBe(
      'The reasons are above.\n\nThe severity is now **critical**. **A person has to decide.**',
    );
  });

  it('is never posted in the same words twice, however often the model repeats itself', () => {
    const said: Before[] = [];
    for (let cycle = 0; cycle < 3; cycle += 1) said.push(asSaid(answer(BODY, 'reply', said)));
    expect(new Set(said.map(({ text }) => text)).size).toBe(3);
    expect(said.at(-1)?.text).toContain('After this reply, the bot will not continue this discussion.');
  });

  it.each<Action>(['reply', 'veto', 'escalate'])('keeps the marker and the call of %s', (action) => {
    const { text: _old, ...repeated } = answer(BODY, action);
    const { text: _new, ...fresh } = answer(REASON, action);
    expect(repeated).toEqual(fresh);
    expect(repeated.marker).toMatchObject({ action, count: 1 });
  });

  it('is recognised between two rounds too', () => {
    const history = historyOf([]);
    const handled = [handledIn(history, 'reply', BODY)];
    const context = { facts: make.changeRequest(), history, policy: RULES, mention: 'fixpoint' };
    const plan = buildRepliesPlan({ ...context, run: make.replyRun(), handled, spent: NOTHING_SPENT });
    expect(plan.replies.map(({ text }) => text)).toEqual([expect.stringMatching(/^The problem still exists at /)]);
  });

  it('is not one that repeats what was said in another thread, or in a comment that answers several', () => {
    const { text, marker } = answer(REASON);
    const other = { ...marker, id: 'F-002' as const, fp: make.print('another') };
    expect(answer(REASON, 'reply', [{ text, markers: [other] }]).text).toBe(REASON);
    expect(answer(REASON, 'reply', [{ text, markers: [marker, other] }]).text).toBe(REASON);
  });
});
