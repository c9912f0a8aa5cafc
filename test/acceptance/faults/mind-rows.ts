/** Faults that a strong and a weak reviewer met when they answered the product's requests. */
import { by, type Proof, proved } from '../named-test.ts';

const SETTLE = 'test/services/reviewer/check/settle-claim.test.ts';
const SUGGESTION = 'test/shared/diff/position/printed-suggestion.test.ts';
const SUBMISSION = 'test/shared/agent/submission/read-submission.test.ts';
const KEPT = 'test/shared/agent/submission/kept.test.ts';
const CLAUDE_CODE = 'test/services/reviewer/runners/claude-code.test.ts';
const LEFT = 'test/services/reviewer/check/not-reviewed.test.ts';
const AGENT = 'test/services/reviewer/runners/agent.test.ts';
const TOOLS = 'test/shared/agent/tools.test.ts';
const BASH = 'test/shared/workspace/bash/bash-command.test.ts';
const SUBMIT = 'test/shared/agent/submit-review.test.ts';

export const MIND_ROWS: Readonly<Record<string, Proof>> = {
  'F-W2': proved(by(SETTLE, 'F-W2: line and side follow from the evidence')),
  'F-W3': proved(
    by(SETTLE, 'F-W3: what our own output prints is understood back'),
    by(SUGGESTION, 'takes away %s', 'leaves %s as they are', 'leaves %s that the replaced lines have too'),
    by(SUBMISSION, 'F-W3: a long title, cut between words and whole in the body', 'F-W3: a path with a slash in front'),
    by(SUBMISSION, 'F-W3: a severity that is a warning', 'F-W3: a range in another form'),
    by(SUBMIT, 'F-W3: mentions the false quote of a P3 in a correction that is needed anyway'),
  ),
  'F-W4': proved(
    by(KEPT, 'takes %s', 'withdraws a finding when the correction has %s', 'keeps what was good in any of several'),
    by(KEPT, 'counts from the list of the model, and names title and text', 'lists the words of a finding that still'),
    by(KEPT, 'F-W4: tells what is kept, and resumes with it on another machine'),
    by(CLAUDE_CODE, 'F-W4: are asked for in part, and what was good is kept'),
  ),
  'F-W6': proved(
    by('test/services/reviewer/packet/removed-by.test.ts', 'F-W6: the commits that last touched removed lines'),
    by(
      'test/services/reviewer/packet/removed-by.test.ts',
      'F-W6: Read of the base finds a renamed file under both names',
    ),
    by('test/services/reviewer/run/prompt.test.ts', 'F-W6: names the commits that last touched removed lines'),
    by(TOOLS, 'F-W6: several parts in one call', 'F-W6: shows the file before the change, and that is no receipt'),
  ),
  'F-W7': proved(
    by(TOOLS, 'F-W7: a file by the name of the field that others use', 'F-W7: more lines than its limit'),
    by(TOOLS, 'F-W7: a file, and names the fields that mean nothing', 'F-W7, F-W8: shows %s'),
    by(BASH, 'divides %j at spaces, and takes quotes literally', 'git log HEAD~1..HEAD', 'git log --format=%h'),
  ),
  'F-W8': proved(
    by(TOOLS, 'F-W7, F-W8: shows %s', 'F-W8: of an invalid pattern %s', 'F-W8: says of %s what to do'),
    by(TOOLS, 'T7, T9: refuses %j'),
    by('test/shared/agent/references.test.ts', 'lists definitions, uses and tests with the function around them'),
  ),
  'F-W9': proved(by(AGENT, 'is offered what applies: %s')),
  'F-W10': proved(by('test/shared/diff/annotate/annotate.test.ts', 'F-W10: writes the lines of the published example')),
  'F-W11': proved(
    by(LEFT, '%s counts as not reviewed', '%s is of no change'),
    by(AGENT, 'F-W11: of a model that names %s as not reviewed'),
    by('test/services/reviewer/check-draft.test.ts', 'F-W11: the counts'),
    by(SUBMISSION, 'F-W11: takes a missing word on what was not reviewed as unknown'),
    by(KEPT, 'F-W11: counts turns as they are counted in what was spent'),
    by('test/services/cli/review/review.test.ts', 'F-W11: ends with 1 when something blocks'),
    by('test/shared/rounds/plan/wording/summary-folds.test.ts', 'F-W11: names files outside of the change'),
  ),
  'F-W12': proved(
    by(SETTLE, 'F-W12: evidence of several places'),
    by(SUBMISSION, 'F-W12: the own quotation that is closest to the line'),
  ),
};
