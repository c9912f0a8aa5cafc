/** Rows X8 to X12 of the acceptance matrix, and the peers' endless loops, races and false passes. */
import { by, byDeep, type Proof, proved } from './named-test.ts';

const BOTS = 'test/acceptance/two-bots.test.ts';
const DECIDE = 'test/shared/rounds/decide/decide.test.ts';
const GATE = 'test/shared/rounds/gate/gate.test.ts';
const RAISED = 'test/shared/rounds/raised-again.test.ts';
const HISTORY = 'test/shared/rounds/model/history.test.ts';
const ORDERS = 'test/shared/rounds/decide/decide-commands.test.ts';
const TRUTH = 'test/shared/rounds/truth-table.test.ts';
const CARRY = 'test/integration/carry-beyond-cap.test.ts';
const SAME = 'test/integration/same-input.test.ts';
const STORY = 'test/integration/story-rounds.test.ts';
const TALK = 'test/integration/story-talk.test.ts';
const AUTHOR_STORY = 'test/integration/author-story.test.ts';
const AUTHOR_ROWS = 'test/integration/author-rows.test.ts';
const FIX = 'test/services/author/fix.test.ts';
const LOST = 'test/acceptance/state-loss.test.ts';
const VERDICT = 'test/integration/poster-verdict.test.ts';
const MODELS = 'test/integration/model-stories.test.ts';
const TURNS = 'test/shared/agent/run-turns.test.ts';
const STOPS = 'test/shared/agent/stop-reasons.test.ts';
const LEDGER = 'test/shared/store/budget-ledger.test.ts';
const WRITE = 'test/services/poster/write.test.ts';
const CONVERGES = 'test/integration/convergence.test.ts';
const CHECK = 'test/services/reviewer/check-draft.test.ts';

const OTHER_BOTS = by(
  DECIDE,
  'what another bot says causes nothing',
  'a review by another bot causes nothing',
  'a review that another bot asks for causes nothing',
);
const FIXER_STOPS = by(
  AUTHOR_STORY,
  'an author that makes things worse gets three reviews and two fixes, then one hand-off and no push',
);

export const LOOP_ROWS: Readonly<Record<string, Proof>> = {
  X8: proved(
    by(STORY, 'is not touched by the events that the bot itself causes'),
    by(DECIDE, 'what the bot says causes nothing'),
    by('test/shared/rounds/explore.test.ts', 'comes to rest by itself and reaches the printed bounds exactly'),
    by(BOTS, 'X8:', 'leads to no job, no request and no word when it is delivered three times more'),
  ),
  X9: proved(OTHER_BOTS, FIXER_STOPS, by(BOTS, 'X9:', 'ours stops after R reviews and R - 1 fixes')),
  X10: proved(
    by(CONVERGES, 'X10: ends the same with Redis flushed'),
    by(LOST, 'X10: gets a closing review although'),
    byDeep(CONVERGES, 'X10: hands off each head and says nothing else'),
    byDeep(LOST, 'X10: gets no review while the forge cannot list'),
    by('test/services/guard/facts.test.ts', 'X10:'),
    by('test/faults/redis.test.ts', 'Q6: goes on with the next round when it is wiped between rounds'),
    by(HISTORY, 'takes the larger count of state and forge', 'merges upwards only'),
    by(HISTORY, 'knows the round from the findings when somebody deleted the summary'),
    by('test/integration/poster-once.test.ts', 'P11:'),
    by(
      'test/shared/rounds/decide/caps.test.ts',
      "do not start over when the bot's signature stands under an unknown account",
    ),
  ),
  X11: proved(
    by(AUTHOR_ROWS, 'X11: a change to %s is not pushed, and a human is called once'),
    by(FIX, 'X11: nothing is pushed', 'when the tree was reviewed before', 'when a fix has pushed the tree before'),
    by(FIX, 'when the branch becomes protected', 'between the last look and the push is not overwritten'),
    by(FIX, 'is one commit on the head with a fixed message, pushed to the source branch alone'),
    by('test/shared/rounds/decide/decide-fix.test.ts', 'in a fork', 'of a fork'),
  ),
  X12: proved(
    by(MODELS, 'turns that run out without a review leave the rules alone to speak, and no verdict'),
    by(TURNS, 'ends with its notes and the name of the budget when the wall time is over in a call'),
    by(TURNS, 'T14: are asked for at most four times', 'counts the wall time of earlier executions'),
    by('test/shared/agent/run-budgets.test.ts', 'bound the calls of a run: turns, corrections, fallback'),
    by(LEDGER, 'counts per %s, and takes nothing from any scope when one refuses', 'X12: keeps its counters'),
    by(LEDGER, 'never lets forty calls at once take more than there is'),
    by('test/shared/rounds/gate/verdict.test.ts', 'the words for a budget'),
    by(TRUTH, 'of a review that was cut short names the budget'),
    by(STOPS, 'context exceeded'),
  ),
};

const LOOPS: Readonly<Record<string, Proof>> = {
  'C-F F1': proved(
    by(GATE, 'on an unchanged hunk treats a %s so'),
    by(CHECK, 'a claim on a hunk that stood in the round before is marked'),
  ),
  'C-F F2': proved(
    by(CHECK, 'stays when the lines move, the blanks change and the body is told anew'),
    by(SAME, 'X6: an empty commit, other words, a rebase and A, B, A, B'),
    by(RAISED, 'is known reworded, with its lines moved'),
  ),
  'C-F F4': proved(
    by(CONVERGES, 'converges: nothing lost, said twice'),
    by(SAME, 'X6: an empty commit'),
    byDeep(CARRY, 'V8: what blocks stays blocked through merges'),
  ),
  'C-F F5': proved(
    by(RAISED, 'is known reworded, with its lines moved'),
    by('test/shared/rounds/declined.test.ts', 'F5, F18:'),
    by(GATE, 'X7: drops one that %s'),
  ),
  'C-F F6': proved(
    by(ORDERS, 'keeps its finding from being raised again, of whatever severity, while its code is the same'),
    by(STORY, 'hears a claim again in round 2, hands it to a human in round 3, and is handed off at the cap'),
    by(TALK, 'X13: cause nothing in a thread that the bot has closed'),
  ),
  'C-F F7': proved(
    FIXER_STOPS,
    by('test/shared/rounds/decide/decide-fix.test.ts', 'E6: after at most one less than there are'),
  ),
  'C-F F8': proved(FIXER_STOPS, by(GATE, 'raises a P1 that comes back after it was resolved as a regression')),
  'C-F F9': proved(
    by(CONVERGES, 'converges: nothing lost, said twice'),
    by(GATE, 'always gives one to what blocks, and the rest of the room to the others by severity, then path'),
  ),
  'C-F F10': proved(
    by(STORY, 'is reviewed once per head, whatever comes again'),
    by('test/acceptance/peers.test.ts', 'W1, G9:'),
  ),
  'C-F F11': proved(
    by('test/integration/fleet-scale.test.ts', 'no head is reviewed twice, every newest head is reviewed'),
    by('test/shared/store/lease.test.ts', 'Q3:'),
    by(RAISED, 'is known reworded, with its lines moved'),
  ),
  'C-F F12': proved(
    by(TALK, 'X14: are answered by one cycle each', 'are heard by the round when a push follows'),
    by(STORY, 'keeps a finding in the summary when its comment was deleted, and does not say it again'),
  ),
  'C-F F13': proved(
    by(
      'test/integration/fleet.test.ts',
      'one process per service takes a change request through three rounds to success',
    ),
    by('test/shared/forge', 'resolves a thread and shows it for all of its comments'),
  ),
  'C-F F14': proved(by(WRITE, 'F14:', 'resolves a thread whose first words an earlier account said')),
  'C-F F15': proved(
    by(SAME, 'X6: an empty commit, other words, a rebase', 'X6: a line that moves to another function is reviewed'),
    by(
      'test/services/reviewer/same-input.test.ts',
      'is known on a newer base',
      'is not known where the lines around it',
    ),
  ),
  'C-F F18': proved(
    by('test/shared/rounds/declined.test.ts', 'F5, F18:'),
    by(ORDERS, 'keeps its finding from being raised'),
  ),
  'C-F F19': proved(
    by(STORY, 'hears a claim again in round 2, hands it to a human in round 3, and is handed off at the cap'),
    by(ORDERS, 'takes back what only waited, and its pending status'),
  ),
  'C-F F20': proved(
    by(HISTORY, 'knows the round from the findings when somebody deleted the summary', 'keeps heads closed that were'),
    by(LOST, 'X10: gets a closing review although'),
  ),
  'C-F F21': proved(OTHER_BOTS, by(TALK, 'none when they come from strangers')),
};

const RACES: Readonly<Record<string, Proof>> = {
  'C-G V1': proved(
    by('test/integration/poster-once.test.ts', 'P13: nothing inline is said about a head that has moved on', 'P10:'),
    by(DECIDE, 'ignores a report of a phase that is over'),
  ),
  'C-G V2': proved(
    by('test/integration/poster-once.test.ts', 'P13: nothing inline is said about a head that has moved on'),
    by(DECIDE, 'costs no model call when a newer head is wanted before the review began'),
    by(HISTORY, 'give no passing status to a head that is not the newest'),
  ),
  'C-G V3': proved(
    by(STORY, 'is reviewed once per head, whatever comes again'),
    by(VERDICT, 'a request for changes outlasts a review without a verdict', 'what others decided is never touched'),
  ),
  'C-G V5': proved(
    by(VERDICT, 'a request for changes is taken back when the change is clean, and no comment goes with it'),
    by('test/integration/forge-verdict.test.ts', 'the request goes when the change is clean, and nothing approves'),
  ),
  'C-G V7': proved(by('test/shared/queue/golden.test.ts', 'no head', 'a short head', 'Q10: refuse a job with %s')),
  'C-G V8': proved(
    by(CARRY, 'V8: a merge of the target branch and a rebase keep the verdict without a review'),
    by(
      'test/integration/carry-beyond-cap.test.ts',
      'V8: a merge of the target branch and a rebase keep the verdict without a review; another change gets a closing review',
    ),
  ),
};

const FAILED_RUN = by('test/services/reviewer/runners/agent.test.ts', '%s is a failed attempt with its code');

const FALSE_PASSES: Readonly<Record<string, Proof>> = {
  'C-H K1': proved(
    by('test/shared/agent/models/conformance.test.ts', 'MODEL_REQUEST_REFUSED'),
    by(STOPS, 'model_failed MODEL_REQUEST_REFUSED'),
    by('test/services/reviewer/handle.test.ts', 'that failed with %s and the words %j reports the code'),
    by(DECIDE, 'end with a hand-off when none is left, and close the head'),
  ),
  'C-H K2': proved(by(STOPS, 'max_tokens in prose', 'end_turn with nothing'), FAILED_RUN),
  'C-H K5': proved(by(GATE, 'lists an unevidenced %s apart'), by(TRUTH, 'has one road to lgtm among')),
  'C-H K6': proved(
    by(TURNS, 'does not believe an empty review that stands somewhere in prose'),
    by(STOPS, 'end_turn with prose'),
  ),
  'C-H K7': proved(
    by('test/shared/agent/model/retrying-model.test.ts', 'gives the last failure after four attempts'),
    by(STOPS, 'throws MODEL_RATE_LIMITED'),
    by('test/services/reviewer/handle.test.ts', 'that is lost for good is reported as failed'),
  ),
  'C-H K8': proved(by(STOPS, 'thinking only'), FAILED_RUN, by(TRUTH, 'has one road to lgtm among')),
};

export const LOOP_PEERS: Readonly<Record<string, Proof>> = { ...LOOPS, ...RACES, ...FALSE_PASSES };
