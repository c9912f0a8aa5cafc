/** From `dismiss … always` over the entry that a person pastes to a change request that is not told of it, and back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { createIgnoredCounts } from '../../shared/store/learning/ignored-counts.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { eventually } from '../support/story-world.ts';
import { advanceMain, commit } from './head-deeds.ts';
import { homeOf, startVerdictStage, type VerdictStage } from './verdict-stage.ts';

const NOISY = textOf('export const one = 1;', 'debugger;');
const CLEAN = textOf('export const two = 2;');
const TEST_MS = 240_000;

describe.each(usually<ForgeKind>('forgejo', 'gitea', 'gitlab'))('on %s', (kind) => {
  const passed = 'success';
  let stage: VerdictStage;
  beforeAll(async () => {
    stage = await startVerdictStage(kind, '', '[limits]\nrunning_per_project = 4\n[gate]\nwait_for_ci = false');
  }, TEST_MS);
  afterAll(async () => stage?.close(), TEST_MS);

  const openNoisy = async (branch: string): Promise<number> => {
    await commit(stage, { branch, files: { 'gen/noise.js': `// ${branch}\n${NOISY}` } });
    return stage.open(branch, CLEAN);
  };

  const say = async (number: number, words: string): Promise<void> => {
    const body = `@${stage.bot} ${words}`;
    if ('traits' in stage.sim) stage.sim.comment({ repo: stage.repo, number, as: 'author', body });
    else await stage.sim.comment({ project: stage.repo, iid: number, as: 'author', body });
    await stage.calm();
  };

  const told = (number: number): string => {
    const { comments, inline } = stage.look(number);
    return [...comments, ...inline, ...inline.flatMap(({ replies }) => replies)].map(({ body }) => body).join('\n');
  };

  const blockIn = (text: string): string => /```toml\n([^]*?)\n```/.exec(text)?.[1] ?? '';

  test(
    'an entry that a person pastes silences the rule in later change requests, counted, until it is taken back',
    async () => {
      const first = await openNoisy('first');
      await stage.statusOf(first);
      expect(stage.look(first).inline).toHaveLength(1);
      await say(first, 'dismiss F-001 always because it is "generated" by @tool');
      await eventually('the answer', async () => told(first).includes('[[ignore]]'));
      expect(told(first)).toContain('F-001 is dismissed');
      expect(told(first)).toMatch(
        /create \[\.fixpoint\.toml\]\(\S+\/(?:_new|-\/new)\/main\) in the root folder of `main`/,
      );
      const block = blockIn(told(first));
      expect(block).toMatch(
        /^\[\[ignore\]\]\nrule = "js-debugger"\npath = "gen\/noise\.js"\nreason = "it is \\"generated\\" by @tool"/,
      );

      await advanceMain(stage, { '.fixpoint.toml': `${block}\n` });
      const second = await openNoisy('second');
      expect(await stage.statusOf(second)).toBe(passed);
      expect(stage.look(second).inline).toEqual([]);
      expect(stage.summaryOf(second)).toMatch(
        /1 finding not shown: ignored by \[\.fixpoint\.toml\]\(http\S+\/(?:src\/branch|-\/blob)\/main\/\.fixpoint\.toml\)\./,
      );
      expect(stage.summaryOf(second)).toContain('**No problems found**');
      const project = { forge: 'sim', projectId: homeOf(stage.sim, stage.repo).id };
      const counts = await createIgnoredCounts(stage.redis, createKeys('fixpoint')).load(project);
      expect([...counts.values()]).toMatchObject([{ findings: 1 }]);

      await say(second, 'dismiss F-001 always because it is generated');
      expect(told(second)).toContain('This change request has no finding F-001.');

      await advanceMain(stage, { '.fixpoint.toml': `${block}\nuntil = "2020-01-31"\n` });
      const third = await openNoisy('third');
      await stage.statusOf(third);
      expect(stage.look(third).inline).toHaveLength(1);
      expect(stage.summaryOf(third)).toContain('`ignore[0]` has no effect: it expired on 2020-01-31');
      expect(stage.summaryOf(third)).not.toContain('not shown: ignored');
    },
    TEST_MS,
  );

  test(
    'an entry of the change itself has no effect',
    async () => {
      await advanceMain(stage, { '.fixpoint.toml': '' });
      const entry = '[[ignore]]\nrule = "js-debugger"\npath = "gen/"\nreason = "mine"\n';
      await commit(stage, { branch: 'own', files: { '.fixpoint.toml': entry } });
      const number = await openNoisy('own');
      await stage.statusOf(number);
      expect(stage.look(number).inline).toHaveLength(1);
    },
    TEST_MS,
  );
});
