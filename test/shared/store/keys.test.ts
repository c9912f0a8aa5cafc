import { expect, it } from 'vitest';
import { createKeys, type Keys } from '../../../shared/store/keys.ts';
import { CommitSha } from '../../../shared/vocabulary/ids.ts';

const of = { forge: 'sim', projectId: 5, number: 7 };
const place = { forge: 'sim', projectId: 5, head: CommitSha.parse('a'.repeat(40)) };
const box = { forge: 'sim', projectId: 5, name: 'dev' };

const oneOfEach = (keys: Keys): Readonly<Record<keyof Keys, string>> => ({
  queues: keys.queues,
  delivery: keys.delivery('sim', 'd1'),
  dedupKey: keys.dedupKey('m1'),
  ofChangeRequest: keys.ofChangeRequest(of, 'state'),
  conversation: keys.conversation(of, 'dev'),
  ofRun: keys.ofRun('r1', 'brief'),
  ciReport: keys.ciReport('r1', 'sast'),
  transcript: keys.transcript('r1'),
  plan: keys.plan('p1'),
  seen: keys.seen('p1'),
  mailbox: keys.mailbox(box),
  mailboxIds: keys.mailboxIds(box),
  delivered: keys.delivered(box),
  mailIndex: keys.mailIndex('dev'),
  deliveredAll: keys.deliveredAll('dev'),
  waited: keys.waited('guard.one'),
  outages: keys.outages,
  mistakes: keys.mistakes,
  ready: keys.ready,
  numbers: keys.numbers('lock'),
  identity: keys.identity('sim'),
  question: keys.question('q1'),
  notes: keys.notes('q1'),
  ofProject: keys.ofProject('sim', 5, 'running'),
  ofPlace: keys.ofPlace(place, 'readers'),
  ofForge: keys.ofForge('sim', 'hooks'),
  called: keys.called('p1'),
  episode: keys.episode('model'),
  about: keys.about('e1'),
  sending: keys.sending('m1'),
  board: keys.board('working'),
  consoleSession: keys.consoleSession('s1'),
});

it('the keys of an installation share its hash tag, and stay what they are: an update has to find them', () => {
  expect(oneOfEach(createKeys('x'))).toEqual({
    queues: '{x}',
    delivery: '{x}:delivery:sim:d1',
    dedupKey: '{x}:dedupKey:m1',
    ofChangeRequest: '{x}:cr:sim.5.7:state',
    conversation: '{x}:cr:sim.5.7:messages:dev',
    ofRun: '{x}:run:r1:brief',
    ciReport: '{x}:run:r1:ci-report:sast',
    transcript: '{x}:transcript:r1',
    plan: '{x}:plan:p1',
    seen: '{x}:seen:p1',
    mailbox: '{x}:mailbox:sim.5:dev',
    mailboxIds: '{x}:mailbox-ids:sim.5:dev',
    delivered: '{x}:delivered:sim.5:dev',
    mailIndex: '{x}:mail-index:dev',
    deliveredAll: '{x}:delivered:dev',
    waited: '{x}:waited:guard.one',
    outages: '{x}:outages',
    mistakes: '{x}:mistakes',
    ready: '{x}:ready',
    numbers: '{x}:numbers:lock',
    identity: '{x}:identity:sim',
    question: '{x}:question:q1',
    notes: '{x}:notes:q1',
    ofProject: '{x}:project:sim.5:running',
    ofPlace: `{x}:place:sim.5.${'a'.repeat(40)}:readers`,
    ofForge: '{x}:forge:sim:hooks',
    called: '{x}:called:p1',
    episode: '{x}:episode:model',
    about: '{x}:about:e1',
    sending: '{x}:sending:m1',
    board: '{x}:board:working',
    consoleSession: '{x}:console-session:s1',
  });
});
