import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseBeads, parseTasksFile, pickedBead, taskOfText } from '../../../services/slots/task.ts';
import { sourceOfBeads, sourceOfFile, sourceOfText } from '../../../services/slots/task-source.ts';

const never = new AbortController().signal;

describe('a list of tasks', () => {
  it('is one task per line, without headings, blanks and what is ticked off', () => {
    const text = '# Plan\n\n- [ ] first\n- [x] done\n* [ ] second\n- third\nfourth\n- [ ]\n';
    expect(parseTasksFile(text)?.map(({ id, title }) => [id, title])).toEqual([
      ['line-3', 'first'],
      ['line-5', 'second'],
      ['line-6', 'third'],
      ['line-7', 'fourth'],
    ]);
  });

  it('may be what bd prints', () => {
    const text =
      '[{"id":"fx-1","title":"One","description":"more","status":"open","priority":0,"issue_type":"bug"},{"id":"fx-2","title":"Two"}]';
    const expected = [
      { id: 'fx-1', title: 'One', description: 'more', status: 'open', priority: 'P0' },
      { id: 'fx-2', title: 'Two', description: '', status: null, priority: null },
    ];
    expect(parseTasksFile(text)).toEqual(expected);
    expect(parseBeads(text)).toEqual(expected);
  });

  it('is none when it is other JSON', () => {
    expect(parseTasksFile('[{"title":"no id"}]')).toBeNull();
    expect(parseTasksFile('[{"id":')).toBeNull();
    for (const text of ['', '{}', 'null', '[1]', 'No issues']) expect(parseBeads(text)).toBeNull();
  });

  it('takes the first line of a text for its title', () => {
    expect(taskOfText('Title\n\nmore\nlines\n', 'task')).toMatchObject({ title: 'Title', description: 'more\nlines' });
  });
});

it('knows which bead an agent chose', () => {
  expect(pickedBead(['ls', 'bd update fx-3 --status in_progress', 'cat a'])).toBe('fx-3');
  expect(pickedBead(['bd update fx-3 --claim && make', 'bd close fx-4 --reason done'])).toBe('fx-4');
  expect(pickedBead(['bd ready --json', 'bd show fx-3', 'abd update x'])).toBeNull();
});

describe('a source', () => {
  let folder = '';
  const path = process.env['PATH'];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fixpoint-tasks-'));
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });
  const bd = (script: string): void => {
    writeFileSync(join(folder, 'bd'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    process.env['PATH'] = `${folder}:${path ?? ''}`;
  };

  it('of a text is that task, each time', async () => {
    expect(await sourceOfText('Do it').list(never)).toMatchObject({ kind: 'listed', tasks: [{ title: 'Do it' }] });
  });

  it('of a file that is not there or holds something else refuses to begin', async () => {
    await expect(sourceOfFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'LOOP_TASKS' });
    writeFileSync(join(folder, 'bad.json'), '[{"title":"no id"}]');
    await expect(sourceOfFile(join(folder, 'bad.json'))).rejects.toMatchObject({ code: 'LOOP_TASKS' });
  });

  it('of beads asks for what is ready, in the repository', async () => {
    bd(`[ "$1 $2" = "ready --json" ] || exit 9; printf '[{"id":"fx-1","title":"%s"}]' "$(basename "$PWD")"`);
    expect(await sourceOfBeads(folder).list(never)).toMatchObject({
      kind: 'listed',
      tasks: [{ id: 'fx-1', title: folder.split('/').at(-1) }],
    });
  });

  it.each([
    ['fails', 'exit 3', 'exit code 3'],
    ['prints something else', 'echo "no database"', 'no list of issues'],
  ])('of beads is unavailable when bd %s', async (_, script, reason) => {
    bd(script);
    expect(await sourceOfBeads(folder).list(never)).toEqual({
      kind: 'unavailable',
      reason: expect.stringContaining(reason),
    });
  });

  it('of beads is unavailable when bd is not installed', async () => {
    process.env['PATH'] = folder;
    expect(await sourceOfBeads(folder).list(never)).toEqual({ kind: 'unavailable', reason: 'bd is not installed' });
  });
});
