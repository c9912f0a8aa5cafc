/** Ten things that a human author does to one change request: what the bot says, whom it mails, and what a loss changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { startVerdictStage, type VerdictStage } from '../integration/verdict-stage.ts';
import { shardOf, shareOf } from '../support/deep.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { type End, endOf, LOSSES } from './ten-pushes-losses.ts';
import { type At, type Count, countUntil, findingsAt, summaryAt } from './ten-pushes-stage.ts';
import { type News, playTenPushes, type Step, STEPS } from './ten-pushes-steps.ts';

const STORY_MS = 240_000;
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

/** GitLab tells by itself that the last open thread is resolved. Nobody can switch that off by API. */
const OWN_MAIL_OF_THE_FORGE = 'mail.all_resolved';

/** GitLab has no review that could hold the summary, so the first one that asks is two comments there. */
const FIRST = { forgejo: 1, gitea: 1, gitlab: 2 } as const;

const mayMail = (news: readonly News[]): number => news.filter((each) => each !== 'nothing').length;

type Row = { readonly step: string; readonly created: number; readonly mails: number };

const rowOf = (at: At, step: string, before: Count): Row => {
  const now = countUntil(at);
  const mails = now.mails.slice(before.mails.length).filter((mail) => mail !== OWN_MAIL_OF_THE_FORGE);
  return { step, created: now.created - before.created, mails: mails.length };
};

const expectAfter = (at: At, step: Step, row: Row): void => {
  expect({ step: step.name, verdict: summaryAt(at).verdict }).toEqual({ step: step.name, verdict: step.verdict });
  const most = mayMail(step.news);
  expect([row.step, row.mails <= most, row.created <= most]).toEqual([step.name, true, true]);
  expect(findingsAt(at).map(({ path }) => path)).toEqual(expect.arrayContaining([...(step.defects ?? [])]));
  const head = at.stage.look(at.number).heads.at(-1);
  expect(summaryAt(at).reviewed.map((each) => each.head)).toContain(head);
};

const NOTHING: Count = { created: 0, mails: [] };

/** Every loss in every gap but those where it would change nothing. */
const DISTURBED = STEPS.flatMap(({ name }, gap) =>
  LOSSES.filter(({ from }) => gap >= from).map((loss) => ({ what: loss.name, name, gap, loss })),
);

/** In the usual run one per forge, of another kind on each. */
const lossesOn = (kind: ForgeKind) => {
  if (DEEP) return shardOf(`losses on ${kind}`, DISTURBED);
  const usual = LOSSES[FORGE_KINDS.indexOf(kind)];
  const ofKind = DISTURBED.filter(({ loss }) => loss === usual);
  return shareOf(ofKind, { index: 1, of: ofKind.length });
};

const onStage = async <Result>(kind: ForgeKind, task: (stage: VerdictStage) => Promise<Result>): Promise<Result> => {
  const stage = await startVerdictStage(kind, '');
  try {
    return await task(stage);
  } finally {
    await stage.close();
  }
};

describe.each(FORGE_KINDS)('ten pushes by a human on %s', (kind) => {
  let stage: VerdictStage;
  let undisturbed: End | null = null;

  beforeAll(async () => {
    stage = await startVerdictStage(kind, '');
  }, STORY_MS);
  afterAll(async () => stage?.close(), STORY_MS);

  test(
    'F-R12: write at most one comment and mail for each thing that has news, and each defect is found',
    async () => {
      const rows: Row[] = [];
      let before = NOTHING;
      const at = await playTenPushes(stage, {
        before: async (now) => {
          before = countUntil(now);
        },
        after: async (now, step) => {
          const row = rowOf(now, step?.name ?? 'opened', before);
          rows.push(row);
          process.stdout.write(`${kind}: ${row.step}: ${row.created} comments, ${row.mails} mails\n`);
          if (step === null) expect(row.mails).toBe(FIRST[kind]);
          else expectAfter(now, step, row);
        },
      });
      expect(new Set(findingsAt(at).map(({ path }) => path))).toEqual(
        new Set(['one.js', 'two.js', 'three.js', 'four.js']),
      );
      const total = (of: 'mails' | 'created'): number => rows.reduce((sum, row) => sum + row[of], 0);
      process.stdout.write(`${kind}: ${total('created')} comments, ${total('mails')} mails in all\n`);
      undisturbed = await endOf(at);
      expect(undisturbed.twice).toEqual([]);
    },
    STORY_MS,
  );

  test.each(lossesOn(kind))(
    'X10: end the same when $what before the author does this: $name',
    async ({ gap, loss }) => {
      const end = await onStage(kind, async (other) =>
        endOf(
          await playTenPushes(other, {
            before: async (at, now) => {
              if (now === gap) await loss.act(at);
            },
          }),
        ),
      );
      expect(end).toEqual(undisturbed);
    },
    STORY_MS,
  );
});
