/** Code changes that no test had detected; numbered in the order of the list that named them. */
import { by, type Proof, proved } from '../named-test.ts';

const HELD = 'test/shared/rounds/held-rules.test.ts';
const POST = 'test/services/poster/post.test.ts';
const WORKER = 'test/shared/queue/worker.test.ts';
const MATCH = 'test/shared/rounds/duplicates/duplicates-match.test.ts';
const HISTORY = 'test/shared/rounds/model/history.test.ts';
const GUARD = 'test/services/guard/handle.test.ts';

export const TEST_ROWS: Readonly<Record<string, Proof>> = {
  'F-T1': proved(
    by(HELD, 'F-T1: a plan about an older head', 'is carried out only for a round that has to be finished'),
  ),
  'F-T2': proved(by(POST, 'F-T2: gets neither a verdict nor a status')),
  'F-T3': proved(
    by('test/services/poster/compose.test.ts', 'F-T3: while secrets change, bodies are signed with the new one'),
  ),
  'F-T4': proved(by('test/services/poster/start.test.ts', 'F-T4: the accounts that the bot had before are its own')),
  'F-T5': proved(by(POST, 'F-T5: stays, with a word, when somebody has answered it')),
  'F-T6': proved(by(GUARD, 'F-T6: decides nothing before a poster has said who the bot is')),
  'F-T7': proved(
    by(GUARD, 'F-T7: saves what is to be done before it does any of it', 'F-T7: leaves a plan as it was made'),
  ),
  'F-T8': proved(by('test/shared/store/lease.test.ts', 'F-T8: stays with its holder while the work takes longer')),
  'F-T9': proved(by('test/shared/store/slots.test.ts', 'F-T9: forget who leaves while it waits')),
  'F-T10': proved(by(WORKER, 'F-T10: goes on at once when no child is left to wait for')),
  'F-T11': proved(by(WORKER, 'F-T11: aborts an execution that lost its lock, and takes the job up again')),
  'F-T12': proved(by(HELD, 'begins although a newer head is wanted: %s', 'is posted although the head has moved: %s')),
  'F-T13': proved(by(HELD, 'wait when the branch was put back to an older head that has its verdict as well')),
  'F-T14': proved(by(HELD, 'waits for its own event, which a draft or a pause holds back')),
  'F-T15': proved(by('test/services/guard/authorize-replies.test.ts', 'F-T15: are never those of another bot %s')),
  'F-T16': proved(
    by(
      'test/services/author/change/decide-change.test.ts',
      'F-T16: is protected also when it is written in look-alike characters',
      'F-T16: of binary content is refused',
    ),
  ),
  'F-T17': proved(
    by('test/shared/workspace/mirror/mirror.test.ts', 'F-T17: takes a planted %s away at the next fetch'),
    by('test/shared/workspace/git/git.test.ts', 'F-T17: reads an object itself'),
  ),
  'F-T18': proved(
    by('test/shared/text/redact.test.ts', 'F-T18: are redacted to the end where one begins inside another'),
  ),
  'F-T19': proved(
    by(
      'test/shared/diff/delta.test.ts',
      'F-T19: shows a file again whose diff was not whole before',
      'is gone rather than guessed when its text stands twice',
    ),
  ),
  'F-T20': proved(
    by(
      HELD,
      'calls the operator in the last round, and not when that round passes',
      'counts the numbers that it gives',
      'announces until when the run may last',
    ),
  ),
  'F-T21': proved(
    by(MATCH, 'F-T21: is one of an earlier round', 'F-T21: are the same only when they are much more alike'),
    by(
      'test/shared/rounds/plan/difference.test.ts',
      'F-T21: is never one that a person dismissed',
      'F-T21: is not that of',
    ),
    by(HISTORY, 'F-T21: keeps what commanders granted', 'F-T21: gives no number twice'),
  ),
  'F-T22': proved(by('test/support/cage.test.ts', 'F-T22: a broken cage fails where bubblewrap works')),
  'F-T23': proved(
    by(
      'test/services/guard/authorize-replies.test.ts',
      'F-T23: in a thread that the bot has a word in belongs to that thread',
    ),
    by('test/services/guard/author-words.test.ts', 'F-T23: says nothing about threads of a round that came after'),
    by('test/shared/rounds/decide/decide-commands.test.ts', 'F-T23: of a finding that is %s changes nothing'),
    by('test/shared/workspace/cage/cage.test.ts', 'F-T23: writes no core file and opens a limited number of files'),
  ),
};
