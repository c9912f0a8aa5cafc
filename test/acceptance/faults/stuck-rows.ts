/** Faults that block a change request, or fail silently, without a reason. */
import { by, type Proof, proved } from '../named-test.ts';

const SETTLE = 'test/services/reviewer/check/settle-claim.test.ts';
const ROUNDS = 'test/shared/rounds/unverified.test.ts';
const HEADS = 'test/integration/story-heads.test.ts';
const MIRROR = 'test/shared/workspace/mirror/mirror.test.ts';
const PATTERNS = 'test/shared/workspace/bash-patterns.test.ts';

export const STUCK_ROWS: Readonly<Record<string, Proof>> = {
  'F-C3': proved(by(HEADS, 'is reviewed, answered and passed as any other')),
  'F-R1': proved(
    by(HEADS, 'is reviewed at the head that the forge names, in one run'),
    by(
      MIRROR,
      'fetches the branch of the project',
      'fetches the branch of a fork, and never from another server',
      'fetches the commit by its id when the branch is gone or may not be read',
      'is superseded when the branch has moved on, or nothing leads to the head',
    ),
  ),
  'F-C12': proved(
    by('test/shared/rounds/plan/give-up-plan.test.ts', 'F-C12: says what to do about a pending review of the bot'),
    by(
      'test/shared/rounds/decide/decide-outage.test.ts',
      'F-C12: tells of a pending review that is in the way while it posts',
    ),
    by(
      'test/integration/pending-draft.test.ts',
      'F-C12: on a simulated %s the page says what to do about it, no outage is told, and posting goes on when it is gone',
    ),
    by('test/shared/queue/outage-wait.test.ts', 'F-C12: is not on the board when it waits for people at one page'),
    by(
      'test/shared/forge/conformance-posting.ts',
      'keeps a draft that somebody writes by hand, and does not publish it',
    ),
  ),
  'F-W1': proved(
    by(PATTERNS, '%s gives what it matches', '%s is refused with the word to use'),
    by('test/shared/workspace/search.test.ts', 'matches names at any depth, and whole paths where a slash stands'),
  ),
  'F-C4': proved(
    by('test/shared/diff/paths/glob-names.test.ts', 'F-C4: the pattern %j means the name %j: %s'),
    by('test/shared/rounds/decide/decide.test.ts', 'F-C4: reviews what a pattern lets pass: %s'),
    by('test/shared/config/load.test.ts', 'F-C4: an unclosed brace', 'F-C4: a full ref', 'F-C4: all paths excluded'),
  ),
  'F-C8': proved(by('test/shared/webhooks/parse-gitlab.test.ts', 'F-C8: a draft title that is gone')),
  'F-C11': proved(
    by(
      'test/shared/agent/model/too-long.test.ts',
      'with a %i for its length is one: %s',
      'is one by its status or its type alone',
      'with a %i for another reason is a mistake: %s',
    ),
    by(
      'test/services/cli/review-agent.test.ts',
      'F-C11: a %i of a first request that is too long is no mistake in the setup: %s',
      'F-C11: a request that is too long in mid-run is answered once it is shorter',
      'F-C11: prints what the rules found as text, too, when the provider refuses the request',
      'F-C11: ends with 2 when the provider does not accept the key',
    ),
    by('test/shared/rounds/model/posting/rules-told.test.ts', 'F-C11: is told with the last failed attempt'),
    by('test/services/reviewer/handle.test.ts', 'F-C11: whose model gives no review keeps what the rules found'),
    by(
      'test/integration/model-stories.test.ts',
      'F-C11: what the rules found is told when the model refuses the change',
      'F-C11: a change that is too long for the model is reviewed by the rules',
    ),
  ),
  'F-C13': proved(
    by('test/services/ingress/in-flight.test.ts', 'F-C13: of a GitLab whose token fits is ignored with 200'),
  ),
  'F-C16': proved(
    by(
      'test/shared/rounds/decide/decide.test.ts',
      'F-C16: a request by the button of one who may not command ends no pause',
    ),
  ),
  'F-C17': proved(
    by(
      'test/services/reviewer/rules/guidelines.test.ts',
      'F-C17: whose head has %s is not used, and is named with the reason',
    ),
    by(
      'test/services/reviewer/rules/read-repository-settings.test.ts',
      'F-C17: a rule of the target branch that cannot be used',
    ),
  ),
  'F-R6': proved(
    by('test/services/guard/facts.test.ts', 'F-R6: a command %s is answered there'),
    by(
      'test/acceptance/heard-stories.test.ts',
      'F-R6: answers a command in an inline comment of its own in that thread',
    ),
  ),
  'F-R9': proved(
    by('test/shared/forge/conformance-posting.ts', 'F-R9: reacts, and reacting again is no failure'),
    by('test/sim-tests/as-the-real-forges.test.ts', 'F-R9: answers a second equal reaction with 500 and a page'),
    by(
      'test/services/poster/acknowledge-reactions.test.ts',
      'F-R9: writes the pending status whatever the reaction does',
      'F-R9: reacts to the other comments when one is gone',
    ),
  ),
  'F-R12': proved(
    by(
      'test/acceptance/ten-pushes.test.ts',
      'F-R12: write at most one comment and mail for each thing that has news, and each defect is found',
    ),
    by(
      'test/services/poster/announce-in-status.test.ts',
      'is announced in the pending status, with its counts, and in no comment',
    ),
    by(
      'test/acceptance/announced-run.test.ts',
      'F-R12: a run that only the status announces is not started again after a loss of Redis, and no comment tells of it',
    ),
    by('test/sim-tests/mails.test.ts', 'a bot that %s'),
  ),
  'F-R13': proved(
    by(
      'test/integration/requests-per-round.test.ts',
      'F-R13: asks at most 32 times in a round, beside what it writes finding by finding',
    ),
    by(
      'test/services/guard/one-reading.test.ts',
      'F-R13: looks once at its own change request, and anew at every other',
      'F-R13: does not look at all where the poster has just looked',
      'F-R13: hands what it has read to whoever posts its plan, but for plans without comments',
    ),
    by(
      'test/services/poster/post.test.ts',
      'F-R13: is written by, and read back; what was read before and within the writing is thrown away',
      'F-R13: is read again when the forge says that something has changed since',
    ),
    by('test/shared/store/readings.test.ts', 'F-R13: is taken once, and for no other plan'),
    by(
      'test/shared/forge/forgejo-known.test.ts',
      'F-R13: where threads were written in, they are read, and the list of reviews is not',
    ),
    by(
      'test/shared/workspace/mirror/mirror.test.ts',
      'F-R13: gets both in one conversation, and keeps them when the head has moved',
    ),
    by('test/shared/store/readings.test.ts', 'F-R13: is taken once', 'F-R13: is gone once the poster begins to write'),
  ),
  'F-R14': proved(
    by('test/shared/rounds/decide/decide.test.ts', 'F-R14: hears at once of %s'),
    by('test/acceptance/heard-stories.test.ts', 'F-R14: is reviewed as soon as it gets the label'),
  ),
  'F-F18': proved(
    by(
      'test/shared/protocol/round/round-messages.test.ts',
      'has the commands of the operator with their results in its packet, and none where none was run',
    ),
    by(
      'test/services/ingress/messages-route.test.ts',
      'are told what was expected when a request names another branch, and nothing of it is kept',
    ),
    by(
      'test/shared/protocol/draft-of-packet.test.ts',
      'F-F18: a command of the reviewer with the result %s is told as its own',
    ),
    by(
      'test/services/guard/author-words.test.ts',
      'tells the reviewer what was changed, and nothing else',
      'tells the reviewer of the work that it follows, or that the packet did not come along',
      '%s counts or does not',
    ),
    by(
      'test/services/ingress/judge-message.test.ts',
      'F-F18: a request brings the hand-off packet that it names along',
    ),
    by('test/shared/rounds/gate/verdict.test.ts', 'F-F18: is remembered as one that a budget ended'),
    by('test/shared/rounds/decide/decide-messages.test.ts', 'F-F18: that a budget of the reviewer was used up'),
    by('test/services/guard/tell-author.test.ts', 'F-F18: where %s, the author hears that'),
    by(
      'test/shared/protocol/round/history-messages.test.ts',
      'F-F18: a reviewer that ran out of its budget in round %i of 3 says so',
    ),
  ),
  'F-F19': proved(
    by(
      'test/shared/protocol/escalations.test.ts',
      'F-F19: takes the escalation %s',
      'F-F19: refuses the escalation %s, and names those that it knows',
    ),
  ),
  'F-F20': proved(
    by(
      'test/services/author/change/decide-change.test.ts',
      'F-F20: called %s is taken as a plain one',
      'F-F20: called %s is refused',
      'F-F20: that meets another one %s is refused, and so is the other',
      'F-F20: counts in the limits of files and bytes',
    ),
    by(
      'test/services/author/fix.test.ts',
      'is pushed with them as plain files, in trees that git takes for sound',
      'tells the agent while it works what it may add',
    ),
    by('test/shared/agent/overlay.test.ts', 'is written, read and edited like any other, and never on the disk'),
    by('test/services/author/agents/model.test.ts', 'a model adds one, and is told where it may'),
  ),
  'F-C7': proved(
    by(
      SETTLE,
      'F-C7: the relation follows from the diff',
      'a caller that quotes the changed line',
      'a caller that quotes itself alone',
      'a caller that quotes seven characters of the change',
    ),
  ),
  'F-C9': proved(by(SETTLE, 'a bracket on its line', 'a blank line', 'a bracket on another line')),
  'F-C10': proved(
    by(SETTLE, 'with the number of the annotated diff', 'with the number of Read', 'in a fence', 'on a path with b/'),
    by(SETTLE, 'the text and the nearest line', 'the file that may be meant'),
    by(
      'test/shared/agent/submission/read-submission.test.ts',
      'F-C10: a severity in small letters',
      'F-C10: a path from here',
    ),
    by('test/shared/agent/submit-review.test.ts', 'F-C10: names which %s has what fault'),
  ),
  'F-R5': proved(
    by(
      ROUNDS,
      'are one comment for each episode, edited for each head that comes',
      'are not edited twice for one head',
    ),
    by(ROUNDS, 'are a new comment once another review was completed'),
    by('test/integration/story-rounds.test.ts', 'and is handed off at the cap'),
  ),
  'F-R7': proved(
    by(
      ROUNDS,
      'opens no thread, and is open again in the table and among the deferred',
      'stays open until its lines change',
    ),
  ),
  'F-W5': proved(
    by('test/shared/agent/submission/read-submission.test.ts', 'F-W5: a P2 without a word on blocking as not blocking'),
  ),
};
