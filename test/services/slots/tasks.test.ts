import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseBeads, parseTasksFile, pickedBead, taskOfText } from '../../../services/slots/task/task.ts';
import { sourceOfFile, sourceOfText } from '../../../services/slots/task/task-source.ts';

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

  it('may stand in an envelope, and holds no epics where bd lists what is ready', () => {
    const beads = [
      { id: 'fx-1', title: 'A plan', issue_type: 'epic' },
      { id: 'fx-1.1', title: 'A part', issue_type: 'task', priority: 2 },
    ];
    for (const answer of [beads, { schema_version: 1, data: beads }]) {
      expect(parseBeads(JSON.stringify(answer))?.map(({ id }) => id)).toEqual(['fx-1.1']);
    }
    for (const file of [beads, { schema_version: 1, data: beads }]) {
      expect(parseTasksFile(JSON.stringify(file))?.map(({ id }) => id)).toEqual(['fx-1', 'fx-1.1']);
    }
  });

  it('holds all that a bead says about what is to be done', () => {
    const bead = {
      id: 'fx-1',
      title: 'One',
      description: 'Stream it.',
      acceptance_criteria: 'It takes 1 GB.',
      design: 'By chunks.',
      notes: 'See fx-2.',
    };
    const whole = 'Stream it.\n\nAcceptance criteria:\nIt takes 1 GB.\n\nDesign:\nBy chunks.\n\nNotes:\nSee fx-2.';
    expect(parseBeads(JSON.stringify([bead]))?.[0]?.description).toBe(whole);
    const less = { ...bead, description: ' ', design: null, notes: 7 };
    expect(parseBeads(JSON.stringify([less]))?.[0]?.description).toBe('Acceptance criteria:\nIt takes 1 GB.');
  });

  it('says where a field of a bead was cut', () => {
    const bead = { id: 'fx-1', title: 't'.repeat(1_001), description: 'd'.repeat(20_001), notes: 'n'.repeat(20_002) };
    const [task] = parseBeads(JSON.stringify([bead])) ?? [];
    expect(task?.title).toBe(`${'t'.repeat(1_000)} [cut: only the first 1000 of 1001 characters are shown]`);
    expect(task?.description).toBe(
      `${'d'.repeat(20_000)}\n[cut: only the first 20000 of 20001 characters are shown]\n\n` +
        `Notes:\n${'n'.repeat(20_000)}\n[cut: only the first 20000 of 20002 characters are shown]`,
    );
  });

  it('is none when it is other JSON', () => {
    expect(parseTasksFile('[{"title":"no id"}]')).toBeNull();
    expect(parseTasksFile('[{"id":')).toBeNull();
    expect(parseTasksFile('{"error":"no database"}')).toBeNull();
    for (const text of ['', '{}', 'null', '[1]', 'No issues']) expect(parseBeads(text)).toBeNull();
  });

  it('takes the first line of a text for its title', () => {
    expect(taskOfText('Title\n\nmore\nlines\n', 'task')).toMatchObject({ title: 'Title', description: 'more\nlines' });
  });
});

it.each<[readonly string[], string | null]>([
  [['ls', 'bd update fx-3 --status in_progress', 'cat a'], 'fx-3'],
  [['bd update fx-3 --claim && make', 'bd close fx-4 --reason done'], 'fx-4'],
  [['bd update fx-3 --claim; bd close fx-3.1'], 'fx-3.1'],
  [['bd update --status in_progress fx-3'], 'fx-3'],
  [['bd update --status=in_progress --claim fx-3'], 'fx-3'],
  [["/bin/bash -lc 'bd --sandbox close fx-3'"], 'fx-3'],
  [['bd ready --json', 'bd show fx-3', 'abd update x'], null],
  [['bd update --help', 'bd close --force'], null],
])('knows which bead an agent chose by %j: %s', (commands, expected) => {
  expect(pickedBead(commands)).toBe(expected);
});

describe('a source', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fixpoint-tasks-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  it('of a text is that task, each time', async () => {
    expect(await sourceOfText('Do it').list(never)).toMatchObject({ kind: 'listed', tasks: [{ title: 'Do it' }] });
  });

  it('of a file that is not there or holds something else refuses to begin', async () => {
    await expect(sourceOfFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'LOOP_TASKS' });
    writeFileSync(join(folder, 'bad.json'), '[{"title":"no id"}]');
    await expect(sourceOfFile(join(folder, 'bad.json'))).rejects.toMatchObject({ code: 'LOOP_TASKS' });
  });
});
