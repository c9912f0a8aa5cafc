/** `bd` as a program that answers what a test wrote down for it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBeads, sourceOfBeads } from '../../../../services/slots/task/beads.ts';
import { createLoopStage, type LoopStage } from '../loop-stage.ts';

const never = new AbortController().signal;
const path = process.env['PATH'];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-beads-'));
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true, force: true });
});

/** Each call is a line of `calls`, its arguments between `|`. */
const bd = (script: string): void => {
  const log = `printf '%s|' "$@" >> ${folder}/calls; echo >> ${folder}/calls`;
  writeFileSync(join(folder, 'bd'), `#!/bin/sh\n${log}\n${script}\n`, { mode: 0o755 });
  process.env['PATH'] = `${folder}:${path ?? ''}`;
};
const calls = (): readonly string[] =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
const beads = (...ids: readonly string[]): string => JSON.stringify(ids.map((id) => ({ id, title: `Do ${id}` })));

describe('the beads', () => {
  it('are all that are ready, in the repository, and not only the first ones', async () => {
    bd(`printf '[{"id":"fx-1","title":"%s"}]' "$(basename "$PWD")"`);
    expect(await sourceOfBeads(folder).list(never)).toMatchObject({
      kind: 'listed',
      tasks: [{ id: 'fx-1', title: basename(folder) }],
    });
    expect(calls()).toEqual(['ready|--json|--limit|0|']);
  });

  it('are those below one of them where the scope says so', async () => {
    bd('echo "[]"');
    expect(await sourceOfBeads(folder, 'fx-1').list(never)).toEqual({ kind: 'listed', tasks: [] });
    expect(calls()).toEqual(['ready|--json|--limit|0|--parent|fx-1|']);
  });

  it.each([
    ['fails', 'exit 3', 'bd ready failed with exit code 3'],
    [
      'says why it fails',
      'echo "Error: no database" >&2; exit 1',
      'bd ready failed with exit code 1: Error: no database',
    ],
    [
      'says it in JSON',
      `printf '{\\n  "error": "no \\\\"x\\\\"",\\n  "schema_version": 1\\n}' >&2; exit 1`,
      'bd ready failed with exit code 1: no "x"',
    ],
    ['prints something else', 'echo "no database"', 'bd ready did not print a list of issues'],
  ])('are unavailable when bd %s', async (_, script, reason) => {
    bd(script);
    expect(await sourceOfBeads(folder).list(never)).toEqual({ kind: 'unavailable', reason });
  });

  it('are unavailable when bd is not installed or no program', async () => {
    process.env['PATH'] = folder;
    expect(await sourceOfBeads(folder).list(never)).toEqual({ kind: 'unavailable', reason: 'bd is not installed' });
    writeFileSync(join(folder, 'bd'), '\u0000', { mode: 0o755 });
    expect(await sourceOfBeads(folder).list(never)).toMatchObject({ kind: 'unavailable' });
  });

  it.each([
    [true, 'no tasks from bd: bd ready failed with exit code 3'],
    [false, null],
  ])('may be all that somebody wants (%s): then nothing begins without them', async (isRequired, message) => {
    bd('exit 3');
    const opened = openBeads(folder, { below: '', isRequired }, never).then(
      () => null,
      (error: unknown) => error,
    );
    expect(await opened).toEqual(message === null ? null : expect.objectContaining({ code: 'LOOP_TASKS', message }));
  });

  it('below one that bd does not know are a mistake, below one without any that is ready they are none', async () => {
    bd('[ "$1" = ready ] && echo "[]" || [ "$4" = fx-1 ] || { echo "no issue found" >&2; exit 1; }');
    const open = (below: string) => openBeads(folder, { below, isRequired: false }, never);
    expect(await (await open('fx-1')).list(never)).toEqual({ kind: 'listed', tasks: [] });
    await expect(open('fx-9')).rejects.toMatchObject({
      code: 'LOOP_TASKS',
      message: 'topLevelTask fx-9: bd show failed with exit code 1: no issue found',
    });
  });

  it('are closed by id, and whoever closes them hears why one stays open', async () => {
    bd('[ "$5" = fx-1 ] || { echo "no such issue" >&2; exit 1; }');
    const source = sourceOfBeads(folder);
    expect(await source.close?.('fx-1', never)).toBeNull();
    expect(await source.close?.('--all', never)).toBe('bd close failed with exit code 1: no such issue');
    expect(calls()).toEqual([
      'close|--reason|done and merged back by fixpoint loop|--|fx-1|',
      'close|--reason|done and merged back by fixpoint loop|--|--all|',
    ]);
  });
});

describe('a loop over beads', () => {
  let stage: LoopStage;
  beforeEach(() => {
    stage = createLoopStage();
  });
  afterEach(() => stage.dispose());

  const closed = (): readonly string[] => calls().flatMap((call) => /^close\|.*\|--\|(.*)\|$/.exec(call)?.[1] ?? []);
  const run = (implementer: string, settings = {}, below = '') =>
    stage.run({ implementer }, { source: sourceOfBeads(stage.root, below), settings });

  it('closes each bead that passed when its work has come back, and none that failed', async () => {
    bd(`[ "$1" = ready ] && echo '${beads('fx-1', 'fx-2')}' || git -C "$PWD" log -1 --format=%s > ${folder}/at-close`);
    const { slots } = await run("if (prompt.includes('fx-2')) process.exitCode = 1; else write('b.txt', 'x')");
    expect(slots.map(({ task, status, reason }) => [task, status, reason === null])).toEqual([
      ['fx-1', 'passed', true],
      ['fx-2', 'failed', false],
    ]);
    expect(closed()).toEqual(['fx-1']);
    expect(readFileSync(join(folder, 'at-close'), 'utf8')).toBe('Do fx-1\n');
  });

  it('passes a bead that cannot be closed, and says so', async () => {
    bd(`[ "$1" = ready ] && echo '${beads('fx-1')}' || { echo locked >&2; exit 5; }`);
    const { slots } = await run("write('b.txt', 'x')");
    const reason = 'the work was applied, but the task is still open: bd close failed with exit code 5: locked';
    expect(slots).toMatchObject([{ status: 'passed', failure: null, reason }]);
  });

  it('F-A12: closes none for which nothing was changed', async () => {
    bd(`[ "$1" = ready ] && echo '${beads('fx-1', 'fx-2')}'`);
    const { slots } = await run("if (prompt.includes('fx-2')) write('b.txt', 'x')", { reviewEnabled: false });
    expect(slots.map(({ status }) => status)).toEqual(['unchanged', 'unreviewed']);
    expect(closed()).toEqual(['fx-2']);
  });

  it('tells whoever watches why agents choose tasks themselves, and what that means for the review', async () => {
    bd('exit 3');
    const { states } = await run("say('chose nothing')", { iterations: 1 });
    expect(states.at(-1)?.notice).toBe(
      'there is no task list: bd ready failed with exit code 3; agents choose tasks themselves, and work that names no ' +
        'bead (bd update, bd close) is not reviewed',
    );
  });

  it('in a scope tells each agent its bounds, and ends when the scope is exhausted', async () => {
    bd(`[ -e ${folder}/asked ] && echo '[]' || { touch ${folder}/asked; echo '${beads('fx-1.1')}'; }`);
    const settings = { topLevelTask: 'fx-1', reviewEnabled: false };
    const { ended, iterations } = await run("say('done')", settings, 'fx-1');
    expect([ended, iterations]).toEqual(['no_tasks', 1]);
    expect(stage.prompts('implementer')[0]).toMatch(
      /fx-1\.1: Do fx-1\.1\n\nThis task is part of fx-1\. Do this task only/,
    );
  });

  it('in a scope goes on while there is no list, and tells each agent its bounds', async () => {
    bd('exit 3');
    const settings = { topLevelTask: 'fx-1', reviewEnabled: false, iterations: 2 };
    const { ended } = await run("say('chose nothing')", settings, 'fx-1');
    expect(ended).toBe('iterations');
    const [first, second] = stage.prompts('implementer');
    expect(first).toContain('Choose one ready task below fx-1 (`bd ready --parent fx-1`)');
    expect(second).toBe(first);
  });
});

it('shows what agents print as they print it where it is asked to', async () => {
  const stage = createLoopStage();
  const event = JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: 'fine' } });
  const agents = { implementer: `say(${JSON.stringify(event)})` };
  const shown = async (showRaw: boolean): Promise<readonly string[]> => {
    const { states } = await stage.run(agents, { settings: { reviewEnabled: false, showRaw } });
    return states.findLast((state) => (state.agents[0]?.lines.length ?? 0) > 0)?.agents[0]?.lines ?? [];
  };
  try {
    expect([await shown(true), await shown(false)]).toEqual([[event], ['fine']]);
  } finally {
    stage.dispose();
  }
});
