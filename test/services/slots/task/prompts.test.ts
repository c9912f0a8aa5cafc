import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DEFAULT_DEVELOPER_PROMPT,
  DEFAULT_REVIEWER_PROMPT,
  initPrompts,
  type PromptPaths,
  resolvePrompts,
} from '../../../../services/slots/task/prompts.ts';

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'fixpoint-prompts-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
};
const resolve = (paths: Partial<PromptPaths> = {}) =>
  resolvePrompts(project, { developerPromptPath: '', promptPath: '', reviewerPromptPath: '', ...paths });

describe('prompts', () => {
  it('are our own where there is nothing else, and demand strict JSON of the reviewer', async () => {
    expect(await resolve()).toEqual({ developer: DEFAULT_DEVELOPER_PROMPT, reviewer: DEFAULT_REVIEWER_PROMPT });
    expect(DEFAULT_REVIEWER_PROMPT).toMatch(/strictly with the JSON object/);
  });

  it('of the developer are looked for in four places before ours, each before the next', async () => {
    const chain = [
      () => write('.ai_agents/prompt.md', 'older project'),
      () => write('.ai_agents/prompts/developer.md', 'project'),
      () => write('older.md', 'older path'),
      () => write('mine.md', 'path'),
    ];
    const found: string[] = [];
    for (const [at, lay] of chain.entries()) {
      lay();
      const promptPath = at > 1 ? 'older.md' : '';
      found.push((await resolve({ promptPath, developerPromptPath: at > 2 ? 'mine.md' : '' })).developer);
    }
    expect(found).toEqual(['older project', 'project', 'older path', 'path']);
  });

  it('of the reviewer are looked for in two places before ours, and in none that is older', async () => {
    write('.ai_agents/prompt.md', 'older project');
    write('older.md', 'older path');
    expect((await resolve({ promptPath: 'older.md' })).reviewer).toBe(DEFAULT_REVIEWER_PROMPT);
    write('.ai_agents/prompts/reviewer.md', 'project');
    expect((await resolve()).reviewer).toBe('project');
    write('mine.md', 'path');
    expect((await resolve({ reviewerPromptPath: 'mine.md' })).reviewer).toBe('path');
  });

  it.each<keyof PromptPaths>(['developerPromptPath', 'promptPath', 'reviewerPromptPath'])(
    'that %s names and that are missing are an error at the start',
    async (key) => {
      write('.ai_agents/prompts/developer.md', 'project');
      write('.ai_agents/prompts/reviewer.md', 'project');
      await expect(resolve({ [key]: 'none.md' })).rejects.toMatchObject({ code: 'LOOP_PROMPT' });
    },
  );

  it('of the reviewer may be empty: then nothing is reviewed', async () => {
    write('.ai_agents/prompts/reviewer.md', ' \n');
    expect(await resolve()).toMatchObject({ reviewer: null });
  });

  it('of the developer must not be empty, and none may be endless', async () => {
    write('.ai_agents/prompts/developer.md', '');
    await expect(resolve()).rejects.toMatchObject({ code: 'LOOP_PROMPT' });
    write('.ai_agents/prompts/developer.md', 'x'.repeat(200_001));
    await expect(resolve()).rejects.toMatchObject({ code: 'LOOP_PROMPT' });
  });
});

describe('prompts laid down in a project', () => {
  const DEVELOPER = '.ai_agents/prompts/developer.md';
  const REVIEWER = '.ai_agents/prompts/reviewer.md';
  const read = (path: string): string => readFileSync(join(project, path), 'utf8');

  it('are our own, and found there by the next run', async () => {
    expect(await initPrompts(project, false)).toEqual([
      { path: DEVELOPER, what: 'written' },
      { path: REVIEWER, what: 'written' },
    ]);
    expect(await resolve()).toEqual({
      developer: `${DEFAULT_DEVELOPER_PROMPT}\n`,
      reviewer: `${DEFAULT_REVIEWER_PROMPT}\n`,
    });
  });

  it('leave those alone that are there', async () => {
    write(REVIEWER, 'mine');
    expect(await initPrompts(project, false)).toEqual([
      { path: DEVELOPER, what: 'written' },
      { path: REVIEWER, what: 'kept' },
    ]);
    expect(read(REVIEWER)).toBe('mine');
  });

  it('overwrite those that are there where it is forced, and never what a link points to', async () => {
    write('elsewhere.md', 'mine');
    mkdirSync(join(project, '.ai_agents', 'prompts'), { recursive: true });
    symlinkSync(join(project, 'elsewhere.md'), join(project, DEVELOPER));
    expect(await initPrompts(project, true)).toEqual([
      { path: DEVELOPER, what: 'overwritten' },
      { path: REVIEWER, what: 'written' },
    ]);
    expect([read('elsewhere.md'), lstatSync(join(project, DEVELOPER)).isSymbolicLink()]).toEqual(['mine', false]);
    expect(read(DEVELOPER)).toBe(`${DEFAULT_DEVELOPER_PROMPT}\n`);
  });

  it('that cannot be written are an error', async () => {
    write('.ai_agents', 'a file');
    await expect(initPrompts(project, false)).rejects.toMatchObject({ code: 'LOOP_PROMPT' });
  });
});
