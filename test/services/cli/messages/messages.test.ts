import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printExported, writeExported } from '../../../../services/cli/messages/messages-export.ts';
import { putMessage } from '../../../../shared/mailbox/folder.ts';
import { messagesOfHistory } from '../../../../shared/protocol/round/history-messages.ts';
import { printPacket } from '../../../../shared/protocol/packet-text.ts';
import { printMessage } from '../../../../shared/protocol/print-message.ts';
import { readDocument } from '../../../../shared/protocol/read-document.ts';
import { EXAMPLES, example } from '../../../shared/protocol/examples.ts';
import { changeRequest, history, print, sha, thread } from '../../../shared/rounds/builders.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
const at = (...names: readonly string[]): string => join(folder.path, ...names);

const messages = async (...args: readonly string[]) => runCli(['messages', ...args]);

const LOCAL = {
  version: '0.1.0',
  runner: 'rules',
  commits: null,
  verdict: 'feedback',
  summary: 'One thing.',
  findings: [
    {
      id: 'F-001',
      severity: 'P1',
      blocking: true,
      relation: 'current_diff',
      path: 'src/a.ts',
      side: 'new',
      startLine: 3,
      line: 3,
      title: 'The result is never awaited',
      body: 'Its failure is lost.',
      evidence: 'save(order);',
      suggestion: null,
      rule: null,
    },
  ],
  exceeded: null,
  coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
  spent: { turns: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0, wallMs: 1 },
};

const CALL = { head: sha('head'), review: 1, reason: 'max_rounds_exceeded', atMs: Date.parse('2030-01-05T09:30:00Z') };

const EXPORTED = messagesOfHistory(
  {
    facts: changeRequest(),
    history: history({
      threads: [thread()],
      handoffs: [CALL, { ...CALL, head: sha('next') }],
      reviewed: [
        {
          head: sha('head'),
          base: sha('base'),
          fingerprint: print('x'),
          target: 'main',
          targetHead: sha('target'),
          rules: print('rules'),
          review: 1,
          verdict: 'feedback',
        },
      ],
    }),
    maxRounds: 1,
    reviewer: 'fixpoint',
  },
  (text) => text,
);

const [HANDOFF] = EXPORTED.handoffs;

beforeAll(async () => {
  folder = temporaryFolder();
  await Promise.all(Object.entries(EXAMPLES).map(async ([type, text]) => writeFile(at(`${type}.yaml`), text)));
  await writeFile(at('wrong.yaml'), EXAMPLES.review_feedback.replace('round: 1', 'round: \u001b[31m'));
  await writeFile(at('handoff.yaml'), HANDOFF === undefined ? '' : printPacket(HANDOFF.packet));
  await writeFile(at('local.json'), JSON.stringify(LOCAL));
});

afterAll(() => folder?.dispose());

test(
  'validates every file and names the field and line of each mistake',
  async () => {
    const files = [at('review_request.yaml'), at('wrong.yaml'), at('review_lgtm.yaml'), at('handoff.yaml')];
    const wrong = at('wrong.yaml');
    const result = await messages('validate', ...files);
    expect(result.code).toBe(1);
    expect(result.stdout).toBe(
      `${files[0]}: valid review_request\n${files[2]}: valid review_lgtm\n${files[3]}: valid hand-off packet\n`,
    );
    expect(result.stderr).toContain(`${wrong}: line `);
    expect((await messages('validate', files[0] ?? '')).code).toBe(0);
  },
  RUN_MS,
);

test(
  'puts every message of a stream into an outbox, and nothing if one document is none',
  async () => {
    const box = at('stream-box');
    const stream = `${printMessage(example('review_lgtm'))}---\n${printMessage(example('review_request'))}`;
    await writeFile(at('stream.yaml'), stream);
    await writeFile(at('stream-wrong.yaml'), `${stream}---\nkind: other\n`);
    const wrong = await messages('outbox', box, at('stream-wrong.yaml'));
    expect([wrong.code, wrong.stdout]).toEqual([1, '']);
    expect(wrong.stderr).toContain(`${at('stream-wrong.yaml')}, document 3: `);
    expect(await messages('outbox', box, at('stream.yaml'))).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(box)).toHaveLength(2);
  },
  RUN_MS,
);

test(
  'puts messages into an outbox only when all of them are valid, and shows what waits there',
  async () => {
    const box = at('box');
    expect((await messages('outbox', box, at('review_request.yaml'), at('wrong.yaml'))).code).toBe(1);
    expect((await messages('inbox', box)).code).toBe(2);
    const put = await messages('outbox', box, at('review_lgtm.yaml'), at('review_request.yaml'));
    expect(put).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(box)).toHaveLength(2);
    const shown = await messages('inbox', box);
    expect(shown.stdout.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'P1 2030-01-05T09:00:00Z review_request',
      'P2 2030-01-05T10:30:00Z review_lgtm',
      '',
    ]);
    await putMessage(box, { ...example('review_request'), id: 'm-same-second' });
    const [later, unknown] = await Promise.all([
      messages('inbox', box, '--after', example('review_request').id),
      messages('inbox', box, '--after', 'm-none'),
    ]);
    expect([later.code, later.stdout]).toMatchObject([
      0,
      expect.stringMatching(/^P1 \S+ review_request .*\nP2 \S+ review_lgtm .*\n$/),
    ]);
    expect([unknown.code, unknown.stderr]).toMatchObject([2, expect.stringContaining('has the id "m-none"')]);
  },
  RUN_MS,
);

test(
  'puts every message of a file with several into an outbox, or none, and says which document is wrong',
  async () => {
    const box = at('streamed');
    const stream = `${EXAMPLES.review_request}---\n${EXAMPLES.review_lgtm}`;
    await writeFile(at('stream.yaml'), stream);
    await writeFile(at('half.yaml'), `${stream}---\nid: x\n`);
    const half = await messages('outbox', box, at('half.yaml'));
    expect([half.code, half.stderr]).toMatchObject([1, expect.stringContaining('half.yaml, document 3: line ')]);
    expect(await messages('outbox', box, at('stream.yaml'))).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(box)).toHaveLength(2);
    const again = await messages('outbox', box, at('stream.yaml'));
    expect(again.stdout.match(/already there/g)).toHaveLength(2);
  },
  RUN_MS,
);

test(
  'exports a local review as a message and the packet that it points to, both valid',
  async () => {
    const out = at('out');
    const exported = await messages('export', at('local.json'), '--out', out, '--pr', '12', '--author', 'ann');
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const message = at('out', exported.stdout.trim());
    const path = /findings_packet: (?<path>\S+)/.exec(await readFile(message, 'utf8'))?.groups?.['path'] ?? '';
    const validated = await messages('validate', message, at('out', path));
    expect(validated).toMatchObject({ code: 0, stderr: '' });
    expect(validated.stdout).toMatch(/valid review_feedback\n.*valid findings packet\n/);
    // The folder as it was written, and one without a document.
    const whole = await messages('validate', out);
    expect([whole.code, whole.stdout.split('\n').toSorted()]).toEqual([0, validated.stdout.split('\n').toSorted()]);
    await mkdir(at('empty'));
    expect(await messages('validate', at('empty'))).toEqual({
      code: 2,
      stdout: '',
      stderr: `fixpoint: ${at('empty')}: no YAML file in this folder\n`,
    });
  },
  RUN_MS,
);

test('exports one file per hand-off, where the feedback that came with it says, and each as a document of the stream', async () => {
  const out = at('history');
  const [first, second] = EXPORTED.handoffs.map(({ path }) => path);
  expect(await writeExported(out, EXPORTED)).toHaveLength(2);
  expect(EXPORTED.messages.map(({ related_packet: related }) => related)).toEqual([undefined, first]);
  expect((await readdir(join(out, 'packets', 'handoffs'))).toSorted()).toEqual(
    [first, second].map((path = '') => basename(path)).toSorted(),
  );
  const texts = await Promise.all([first, second].map(async (path = '') => readFile(join(out, path), 'utf8')));
  expect(texts.map(readDocument)).toEqual(texts.map(() => ({ kind: 'document', what: 'hand-off packet' })));
  const stream = printExported(EXPORTED).split('---\n');
  expect(stream.map((text) => readDocument(text))).toMatchObject(
    ['review_request', 'review_feedback', 'findings packet', 'hand-off packet', 'hand-off packet'].map((what) => ({
      what,
    })),
  );
});

test(
  'prints what it exports as one stream of YAML when no folder is named',
  async () => {
    const { stdout } = await messages('export', at('local.json'));
    expect(stdout.split('---\n').map((text) => text.split(':')[0])).toEqual(['id', 'packet_id']);
  },
  RUN_MS,
);

test.each([
  [['export', 'none.json'], 'cannot be read (ENOENT)'],
  [['validate', 'none.yaml'], 'cannot be read (ENOENT)'],
  [['validate'], "missing required argument 'file'"],
  [['export', 'none.json', '--pr', '0'], 'expected a whole number of at least 1'],
])(
  'says what is wrong with %j',
  async (args, words) => {
    const result = await messages(...args);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(words);
  },
  RUN_MS,
);

test(
  'F-F14: what export prints, validate reads, from a file and through a pipe',
  async () => {
    const exported = await messages('export', at('local.json'), '--pr', '12', '--author', 'ann');
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const file = at('stream.yaml');
    await writeFile(file, exported.stdout);
    const [read, piped] = await Promise.all([
      messages('validate', file),
      runCli(['messages', 'validate', '-'], { input: exported.stdout }),
    ]);
    const lines = (name: string): string =>
      `${name}, document 1: valid review_feedback\n${name}, document 2: valid findings packet\n`;
    expect([read.code, read.stdout, read.stderr]).toEqual([0, lines(file), '']);
    expect([piped.code, piped.stdout, piped.stderr]).toEqual([0, lines('-'), '']);
    await writeFile(file, `---\n${exported.stdout}---\nid: none\n`);
    const broken = await messages('validate', file);
    expect([broken.code, broken.stdout]).toEqual([1, lines(file)]);
    expect(broken.stderr).toContain(`${file}, document 3: `);
  },
  RUN_MS,
);
