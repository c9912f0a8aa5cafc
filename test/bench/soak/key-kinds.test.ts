import { expect, test } from 'vitest';
import { spendingKey } from '../../../shared/store/spending/spending-record.ts';
import { createKeys, type Keys } from '../../../shared/store/keys.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { kindOfKey } from './key-kinds.ts';

const keys = createKeys('x');
const of = { forge: 'sim', projectId: 5, number: 7 };
const place = { forge: 'sim', projectId: 5, head: CommitSha.parse('a'.repeat(40)) };
const box = { forge: 'sim', projectId: 5, name: 'dev' };

type Row = readonly [key: string, kind: string];

const OWN: Readonly<Record<Exclude<keyof Keys, 'queues'>, Row>> = {
  delivery: [keys.delivery('sim', 'd:1'), 'delivery:*'],
  dedupKey: [keys.dedupKey('m:1'), 'dedupKey:*'],
  ofChangeRequest: [keys.ofChangeRequest(of, 'state'), 'cr:*:state'],
  conversation: [keys.conversation(of, 'dev:x'), 'cr:*:messages:*'],
  ofRun: [keys.ofRun('r1', 'brief'), 'run:*:brief'],
  ciReport: [keys.ciReport('r1', 'sast'), 'run:*:ci-report:*'],
  transcript: [keys.transcript('r1'), 'transcript:*'],
  plan: [keys.plan('p1'), 'plan:*'],
  seen: [keys.seen('p1'), 'seen:*'],
  called: [keys.called('p1'), 'called:*'],
  mailbox: [keys.mailbox(box), 'mailbox:*'],
  mailboxIds: [keys.mailboxIds(box), 'mailbox-ids:*'],
  delivered: [keys.delivered(box), 'delivered:*'],
  mailIndex: [keys.mailIndex('dev'), 'mail-index:*'],
  askedUnknown: [keys.askedUnknown(box), 'asked-unknown:*'],
  deliveredAll: [keys.deliveredAll('dev'), 'delivered:*'],
  suspects: [keys.suspects('guard', 'lock'), 'suspects:*:lock'],
  waited: [keys.waited('guard.one'), 'waited:*'],
  outages: [keys.outages, 'outages'],
  mistakes: [keys.mistakes, 'mistakes'],
  episode: [keys.episode('model'), 'episode:*'],
  about: [keys.about('e1'), 'about:*'],
  sending: [keys.sending('m1'), 'sending:*'],
  board: [keys.board('paused'), 'board:paused'],
  consoleSession: [keys.consoleSession('s1'), 'console-session:*'],
  ready: [keys.ready, 'ready'],
  numbers: [keys.numbers('lock'), 'numbers:lock'],
  identity: [keys.identity('sim'), 'identity:*'],
  question: [keys.question('q1'), 'question:*'],
  notes: [keys.notes('q1'), 'notes:*'],
  ofProject: [keys.ofProject('sim', 5, 'running'), 'project:*:running'],
  ofPlace: [keys.ofPlace(place, 'readers'), 'place:*:readers'],
  ofForge: [keys.ofForge('sim', 'hooks'), 'forge:*:hooks'],
};

test.each([...Object.values(OWN), [spendingKey('x', '2026-01-01'), 'spending:*'] as const])(
  '%s is of a known kind',
  (key, kind) => {
    expect(kindOfKey(key, 'x')).toEqual({ kind, job: null });
  },
);

test.each<[string, string]>([
  ['meta', 'queue: meta'],
  ['waiting-children', 'queue: waiting-children'],
  ['repeat', 'queue: repeat'],
  ['repeat:sweep', 'queue: schedule'],
  ['de:any', 'queue: de:*'],
])("the library's key guard:%s is no job", (key, kind) => {
  expect(kindOfKey(`{x}:guard:${key}`, 'x')).toEqual({ kind, job: null });
});

test.each<[string, string, string]>([
  ['wake-m1', 'queue: job', 'wake-m1'],
  ['wake-m1:lock', 'queue: job:lock', 'wake-m1'],
  ['wake-m1:dependencies', 'queue: job:dependencies', 'wake-m1'],
  ['repeat:sweep:1700000000000', 'queue: job', 'repeat:sweep:1700000000000'],
  ['repeat:sweep:1700000000000:lock', 'queue: job:lock', 'repeat:sweep:1700000000000'],
])('guard:%s belongs to a job', (key, kind, id) => {
  expect(kindOfKey(`{x}:guard:${key}`, 'x')).toEqual({ kind, job: { queue: 'guard', id } });
});

test.each<[string, string]>([
  ['{x}:anything:1', 'unknown: anything'],
  ['{y}:plan:1', 'unknown: without the prefix'],
  ['plan:1', 'unknown: without the prefix'],
])('%s is of no known kind', (key, kind) => {
  expect(kindOfKey(key, 'x').kind).toBe(kind);
});
