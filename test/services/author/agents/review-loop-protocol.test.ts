/** A program that speaks nothing but the protocol's messages, as the author. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FixOutcome, FixTask } from '../../../../services/author/change/agent.ts';
import { createCommandAgent } from '../../../../services/author/agents/command.ts';
import { createReviewLoopProtocol } from '../../../../services/author/agents/review-loop-protocol.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { parseFindingsPacket } from '../../../../shared/protocol/packet-text.ts';
import { parseMessage } from '../../../../shared/protocol/parse-message.ts';
import type { FixFinding } from '../../../../shared/rounds/model/fix-brief.ts';
import { makeMessagesAuthor } from '../../../support/author-command.ts';
import { print, runId, sha } from '../../../shared/rounds/builders.ts';
import { never, temporaryFolder } from '../../../shared/workspace/repository.ts';

let folder = temporaryFolder();
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'tree');
  mkdirSync(root);
  mkdirSync(join(folder.path, 'scratch'));
  writeFileSync(join(root, 'a.js'), 'a();\n');
  chmodSync(join(root, 'a.js'), 0o444);
});
afterEach(() => folder.dispose());

const finding = (patch: Partial<FixFinding>): FixFinding => ({
  id: 'F-001',
  fingerprint: print('one'),
  severity: 'P1',
  title: 'A title',
  text: 'body: |\n  review_lgtm\n---\n"quoted" & *alias',
  rule: 'a-secret-rule',
  place: { path: 'a.js', side: 'new', startLine: 1, line: 1 },
  ...patch,
});

const task = (): FixTask => ({
  changeRequest: { forge: 'main', projectId: 1, number: 5 },
  runId: runId('fix'),
  head: sha('head'),
  review: 2,
  findings: [
    finding({}),
    finding({ id: 'F-002', severity: 'P2', text: '', place: { path: 'x\\y', side: 'old', startLine: 1, line: 3 } }),
  ],
  root,
  paths: ['a.js'],
  limits: { maxTurns: 1, maxRuntimeMs: 20_000 },
});

const NOW_MS = Date.parse('2030-01-05T09:30:00.750Z');
const speech = (ownName = 'fixpoint') => createReviewLoopProtocol({ ownName, nowMs: () => NOW_MS });

const work = async (script: string): Promise<FixOutcome> => {
  const command = await makeMessagesAuthor(script);
  try {
    const scratchFolder = join(folder.path, 'scratch');
    const settings = { command: command.argv, path: '/usr/bin:/bin', scratchFolder, speech: speech() };
    return await createCommandAgent(settings).work(task(), never());
  } finally {
    await command.dispose();
  }
};

const doneWith = async (script: string) => {
  const outcome = await work(script);
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  return outcome.work;
};

describe('what a program that speaks messages is told', () => {
  it('is feedback of the review that says until when it is listened to', () => {
    const { input } = speech().tell(task(), 'folder');
    expect(parseMessage(input)).toEqual({
      kind: 'message',
      message: {
        id: expect.stringMatching(/^msg-20300105093000-fixpoint-[0-9a-f]{4}$/),
        from: 'fixpoint',
        to: 'author',
        type: 'review_feedback',
        priority: 'P1',
        created_at_utc: '2030-01-05T09:30:00Z',
        expires_at: '2030-01-05T09:30:20Z',
        related_pr: '5',
        subject: 'Review feedback: round 2 (#5)',
        body: { findings_packet: 'folder/findings.yaml', round: 2, blocking_count: 2 },
      },
    });
  });

  it('comes with a packet that names the head and holds each finding as it stands on the forge', () => {
    const { files } = speech().tell(task(), 'folder');
    expect(Object.keys(files)).toEqual(['findings.yaml']);
    const reading = parseFindingsPacket(files['findings.yaml'] ?? '');
    const rest = { blocking: true, status: 'open', expected: '', evidence: '', recommendation: '' };
    const repro = `A title\n\n${finding({}).text}`;
    expect(reading).toEqual({
      kind: 'packet',
      packet: {
        packet_id: '20300105_5-main-1_fixpoint_r2',
        source_review_packet: sha('head'),
        reviewer: 'fixpoint',
        round: 2,
        created_at_utc: '2030-01-05T09:30:00Z',
        summary: { verdict: 'feedback', blocking_count: 2, non_blocking_count: 0 },
        findings: [
          { ...rest, id: 'F-001', severity: 'P1', area: 'security', file: 'a.js', line: 1, repro },
          // No document of the protocol may hold such a name.
          { ...rest, id: 'F-002', severity: 'P2', area: 'security', file: '', line: 3, repro: 'A title' },
        ],
      },
    });
  });

  it('counts as blocking what can block', () => {
    const findings = [finding({}), finding({ id: 'F-002', severity: 'P3' })];
    const { input, files } = speech().tell({ ...task(), findings }, 'folder');
    expect(parseMessage(input)).toMatchObject({ message: { body: { blocking_count: 1 } } });
    expect(parseFindingsPacket(files['findings.yaml'] ?? '')).toMatchObject({
      packet: { summary: { blocking_count: 1, non_blocking_count: 1 }, findings: [{}, { blocking: false }] },
    });
  });

  it('is never written to itself', () => {
    expect(parseMessage(speech('author').tell(task(), 'folder').input)).toMatchObject({ message: { to: 'fixer' } });
  });

  it('is the same again for the same order', () => {
    expect(speech().tell(task(), 'folder')).toEqual(speech().tell(task(), 'folder'));
  });
});

describe('what a program that speaks messages changes', () => {
  it('is read back from its checkout, without the packet and whatever lies beside it', async () => {
    const { changes } = await doneWith(`
      const beside = path.dirname(body.findings_packet);
      fs.writeFileSync(path.join(beside, 'notes'), 'x');
      fs.writeFileSync('a.js', [message.type, packet.findings.length, fs.readdirSync(beside).length].join(' '));
      answer();
    `);
    expect(changes).toEqual([{ kind: 'write', path: 'a.js', content: Buffer.from('review_feedback 2 2') }]);
    expect(readdirSync(root)).toEqual(['a.js']);
  });

  it('is not found behind a link that it put in the place of the packet', async () => {
    const kept = join(folder.path, 'kept');
    mkdirSync(kept);
    writeFileSync(join(kept, 'file'), 'x');
    const { changes } = await doneWith(`
      const beside = path.dirname(body.findings_packet);
      fs.rmSync(beside, { recursive: true });
      fs.symlinkSync(${JSON.stringify(kept)}, beside);
      answer();
    `);
    expect([changes, existsSync(join(kept, 'file')), readdirSync(root)]).toEqual([[], true, ['a.js']]);
  });
});

describe('what a program that speaks messages answers', () => {
  it('addresses the findings that it names, and declines the others for its reason', async () => {
    const said = "answer({ addressed_finding_ids: ['F-002', 'F-900'], changes_summary: 'F-001 is meant so.' });";
    expect(await doneWith(said)).toEqual({
      changes: [],
      summary: 'F-001 is meant so.',
      addressed: ['F-002'],
      declines: [{ findingId: 'F-001', reason: 'F-001 is meant so.' }],
      spent: NOTHING_SPENT,
    });
  });

  it('says nothing about single findings when it names none', async () => {
    expect(await doneWith('answer();')).toMatchObject({ addressed: null, declines: [], summary: 'Mended.' });
  });

  it('declines all of them with an empty list, for a reason that fits into an answer', async () => {
    const { declines, summary } = await doneWith(
      "answer({ addressed_finding_ids: [], changes_summary: 'x'.repeat(8000) });",
    );
    expect(declines.map(({ reason }) => reason.length)).toEqual([2_000, 2_000]);
    expect(summary).toHaveLength(4_000);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['words', "console.log('all fine');"],
    ['a message of another round', 'answer({ round: 1 });'],
    ['a message about another commit', "answer({ commit_sha: 'abcdef0' });"],
    ['a field that no message has', 'answer({ merge: true });'],
    ['what it was told', 'console.log(stdin);'],
    ['two messages', 'answer(); console.log("---"); answer();'],
  ])('is an account of this order: %s has failed', async (_what, script) => {
    const changed = `fs.writeFileSync('a.js', 'x'); ${script}`;
    expect(await work(changed)).toEqual({ kind: 'failed', code: 'AUTHOR_BAD_ANSWER', spent: NOTHING_SPENT });
  });

  it('counts for nothing when it fails', async () => {
    expect(await work('answer(); process.exitCode = 3;')).toEqual({
      kind: 'failed',
      code: 'AUTHOR_COMMAND_FAILED',
      spent: NOTHING_SPENT,
    });
    expect(readdirSync(root)).toEqual(['a.js']);
  });
});
