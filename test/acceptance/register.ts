/** Rows I, P, Q and some of T and X of the acceptance matrix, with the tests that prove each, or why it is in a later part. */
import { AUTHOR_ROWS } from './author-rows.ts';
import { CAGE_ROWS } from './cage-rows.ts';
import { CI_ROWS } from './ci-rows.ts';
import { DOCTOR_ROWS } from './doctor-rows.ts';
import { HOSTILE_ROWS } from './hostile-rows.ts';
import { LOOP_ROWS } from './loop-rows.ts';
import { by, joinTables, type Proof, proved } from './named-test.ts';

const APP = 'test/services/ingress/app.test.ts';
const ON_REDIS = 'test/services/ingress/start.test.ts';
const SANITIZE = 'test/shared/text/sanitize.test.ts';
const POSTING = 'test/integration/poster-once.test.ts';
const FORGE = 'test/shared/forge';

const INGRESS: Readonly<Record<string, Proof>> = {
  I1: proved(
    by('test/services/ingress/main.test.ts', 'missing', 'empty', 'of seven characters', 'of seven bytes'),
    by('test/services/ingress/main.test.ts', 'does not start without any secret'),
  ),
  I2: proved(
    by(APP, 'is answered 401 without a body, and makes no job: %s', 'Forgejo, no header', 'Forgejo, of another forge'),
    by(APP, 'Forgejo, shorter', 'Forgejo, longer', 'GitLab, empty', 'GitLab, shorter', 'GitLab, longer'),
  ),
  I3: proved(
    by('test/services/ingress/tampering.test.ts', 'is not believed with any one bit changed', 'written down again'),
    by(APP, 'includes a body that was compressed on the way'),
  ),
  I4: proved(by('test/services/ingress/log-lines.test.ts', 'holds no token that was refused')),
  I5: proved(
    by(APP, 'makes one job out of a hundred equal requests at once'),
    by(ON_REDIS, 'stores one event and one wake-up out of a hundred equal requests at once'),
  ),
  I6: proved(
    by(APP, 'makes no second job under a new delivery id', 'GitLab, signed too early', 'GitLab, signed too late'),
    by(APP, 'becomes a believed one when it was signed %d s from now'),
    by(ON_REDIS, 'stores nothing more for a replay under a new delivery id'),
  ),
  I7: proved(by('test/services/ingress/abuse.test.ts', 'addresses in a payload')),
  I8: proved(
    by('test/services/ingress/abuse.test.ts', 'a body one byte over the limit', 'a hundred thousand levels'),
    by('test/services/ingress/abuse.test.ts', 'cannot reach the prototype of every object', 'costs little memory'),
  ),
  I9: proved(by('test/acceptance/who-may-trigger.test.ts', 'I9:')),
  I10: proved(by('test/acceptance/forge-rows.test.ts', 'I10:')),
  I11: proved(
    by('test/integration/author-rows.test.ts', 'I11: "@bot fix" at one head and a push before the worker'),
    by('test/services/author/fix.test.ts', 'between the last look and the push is not overwritten'),
    by('test/shared/workspace/push.test.ts', 'G10, I11:'),
  ),
  I12: proved(by(ON_REDIS, 'answers 503 in less than half a second without Redis, and takes the same delivery')),
  I13: proved(
    by('test/shared/webhooks/constant-time.test.ts', 'are never compared with an operator or looked up in a list'),
    by('test/shared/webhooks/constant-time.test.ts', 'are compared by the runtime in constant time'),
    by('test/shared/webhooks/constant-time.test.ts', 'are compared without throwing, whatever their lengths'),
  ),
  I14: proved(
    by(APP, 'is answered 200 with the reason, and makes no job: %s'),
    by('test/services/ingress/recorded.test.ts', 'is answered 202 when it means something'),
  ),
};

const QUEUE: Readonly<Record<string, Proof>> = {
  Q1: proved(
    by('test/faults/crash.test.ts', 'Q1: killed are', 'Q1: a command is decided on'),
    by('test/faults/agent-crash.test.ts', 'Q1: survives that every $service is killed at $at'),
  ),
  Q2: proved(
    by('test/faults/leaving.test.ts', 'Q2: a ${service} killed ${TIMES} times'),
    by('test/faults/dying.test.ts', 'Q2: a reviewer that is killed three times at one job ends in one failed status'),
    by('test/shared/queue/worker-deaths.test.ts', 'Q2: is executed after two deaths, and fails at once after three'),
  ),
  Q3: proved(
    by('test/shared/store/lease.test.ts', 'Q3:'),
    by('test/faults/leaving.test.ts', 'Q3: a poster that stood still before it wrote'),
    by('test/services/poster/acknowledge.test.ts', 'F-E4: a poster that slept through its lease writes nothing'),
  ),
  Q4: proved(by('test/faults/redis.test.ts', 'Q4: every review ends once when Redis is killed')),
  Q5: proved(by('test/acceptance/redis-rows.test.ts', 'Q5:')),
  Q6: proved(
    by('test/faults/redis.test.ts', 'Q6: goes on with the next round when it is wiped between rounds'),
    by('test/shared/rounds/model/history.test.ts', 'Q6:'),
  ),
  Q7: proved(
    by('test/shared/store/server/redis-safety.test.ts', 'Q7:'),
    by(ON_REDIS, 'refuses a Redis that can lose jobs'),
  ),
  Q8: proved(
    by('test/acceptance/redis-rows.test.ts', 'Q8: a service', 'is cut', 'stands still'),
    by(ON_REDIS, 'answers 503 in less than half a second when Redis hangs'),
    by('test/faults/leaving.test.ts', 'Q13: a poster whose forge does not answer'),
    by(
      'test/integration/outages.test.ts',
      'of the connection to the model, %s, at %s costs nothing but what was sent',
      'of the forge, %s, at %s changes nothing of what is said in the end',
    ),
  ),
  Q9: proved(by('test/acceptance/forge-rows.test.ts', 'Q9:')),
  Q10: proved(
    by('test/shared/queue/worker.test.ts', 'Q10: refuses a job that does not fit its contract'),
    by('test/shared/queue/golden.test.ts', 'Q10: refuse a job with %s'),
  ),
  Q11: proved(
    by('test/integration/fleet-fairness.test.ts', 'Q11: the review of a calm project starts within two reviews'),
  ),
  Q12: proved(
    by('test/acceptance/forge-rows.test.ts', 'Q12: a review survives', 'Q12: a refused account'),
    by(FORGE, 'waits as long as a rate limit asks for', 'does not try again with a token that is refused'),
    by('test/shared/agent/model/retrying-model.test.ts', 'Q12:'),
  ),
  Q13: proved(
    by('test/faults/leaving.test.ts', 'Q13: a ${service} leaves within ten seconds while', 'Q13: a poster whose forge'),
    by('test/shared/queue/worker.test.ts', 'Q13: aborts what runs too long at shutdown and hands it back'),
  ),
  Q14: proved(
    by('test/integration/outages-disk.test.ts', 'at %s changes nothing of what is said in the end'),
    by('test/integration/outages-disk.test.ts', 'while the model answers changes nothing of what is said in the end'),
  ),
  Q15: proved(by('test/acceptance/load.test.ts', 'Q15: a thousand deliveries of two hundred events')),
  Q16: proved(by('test/acceptance/redis-rows.test.ts', 'Q16:')),
  Q17: proved(
    by('test/shared/store/steady-clock.test.ts', 'does not notice that the clock of its machine jumps by %i ms'),
    by('test/shared/store/steady-clock.test.ts', 'is the same in a process that starts with a wrong clock'),
    by('test/shared/rounds/decide/bound-waits.test.ts', 'is cut to its own setting, and guard comes back at its end'),
  ),
};

const POST: Readonly<Record<string, Proof>> = {
  P1: proved(
    by('test/shared/agent/submission/read-submission.test.ts', 'P1:'),
    by('test/shared/rounds/gate/gate.test.ts', 'P1:'),
  ),
  P2: proved(
    by(SANITIZE, 'P2:', 'is judged on at least 1,500 bodies'),
    by('test/shared/text/sanitize.property.test.ts', 'leaves nothing live for a renderer, a command reader or a bot'),
  ),
  P3: proved(by('test/acceptance/forge-rows.test.ts', 'P3:'), by('test/acceptance/gitlab-rows.test.ts', 'P3:')),
  P4: proved(by(SANITIZE, 'P4:')),
  P5: proved(
    by(SANITIZE, 'P5:'),
    by('test/integration/story-rounds.test.ts', 'is not touched by the events that the bot itself causes'),
  ),
  P6: proved(by('test/shared/text/redact.test.ts', 'P6: own secrets', 'P6: credentials known by their form')),
  P7: proved(by('test/acceptance/forge-rows.test.ts', 'P7:'), by('test/services/poster/compose-body.test.ts', 'P7:')),
  P8: proved(
    by('test/shared/rounds/model/history.test.ts', 'P8:'),
    by(FORGE, 'publishes nothing at all when a position is refused'),
    by('test/integration/nasty.test.ts', 'whose finding stands on a line that it left alone'),
  ),
  P9: proved(
    by('test/shared/rounds/memory/marker.test.ts', 'P9:'),
    by('test/shared/rounds/model/history.test.ts', 'P9:'),
    by('test/integration/story-rounds.test.ts', 'P9:'),
  ),
  P10: proved(by(POSTING, 'P10: when two posters without a lock are interleaved at every call')),
  P11: proved(by(POSTING, 'P11:')),
  P12: proved(by(POSTING, 'P12:')),
  P13: proved(by(POSTING, 'P13:')),
  P14: proved(by('test/acceptance/gitlab-rows.test.ts', 'P14:'), by(FORGE, 'of nothing but commands are an alarm')),
};

const EVIL = 'test/shared/agent/evil.test.ts';
const TOOLS = 'test/shared/agent/tools.test.ts';
const WORKSPACE = 'test/shared/workspace';

const AGENT: Readonly<Record<string, Proof>> = {
  T1: proved(
    by(EVIL, 'nothing outside is read'),
    by('test/shared/agent/evil-over-http.test.ts', 'leaks nothing to the model'),
    by(WORKSPACE, 'T1: shows the secrets of the service to no tool', 'T1: has none of the variables'),
  ),
  T2: proved(by(TOOLS, 'T2: of %j is refused', 'T2: with %s as input is refused', 'T2: with 200 KB of input')),
  T3: proved(
    by('test/shared/text/visible.test.ts', 'T3:'),
    by('test/shared/agent/prompt.test.ts', 'T3: fences every text that others wrote'),
    by(TOOLS, 'T3: has no hidden character in what is said about it'),
  ),
  T7: proved(by(TOOLS, 'T7, T9: refuses %j'), by(WORKSPACE, 'T7 path escape', 'while a folder is swapped for a link')),
  T8: proved(by(WORKSPACE, 'T8 links'), by(TOOLS, 'follows no link')),
  T9: proved(
    by(WORKSPACE, 'T9 odd files', 'refuses a sparse file of 2 GB at once'),
    by(TOOLS, 'a long line, cut', 'a binary file of 3 bytes'),
  ),
  T10: proved(by(TOOLS, 'T10: ends soon on %s'), by(WORKSPACE, 'T10 bombs')),
  T14: proved(
    by(
      'test/shared/agent/run-turns.test.ts',
      'T14: cannot send another explorer',
      'T14: are asked for at most four times',
    ),
    by('test/shared/agent/run-turns.test.ts', 'T14: are counted over all turns'),
    by(EVIL, 'nothing is written'),
  ),
};

const BOUNDED = 'test/shared/rounds/bounded-response.test.ts';

const LOOP: Readonly<Record<string, Proof>> = {
  C3: proved(
    by(
      'test/shared/rounds/commands/parse-command.test.ts',
      '@bot review --model x --base_url http://evil --max_rounds 99 __openai__key=1',
    ),
    by('test/integration/story-commands.test.ts', 'and no setting can be changed by it'),
  ),
  X1: proved(by('test/shared/rounds/explore.test.ts', 'X1:'), by('test/shared/rounds/model/thread.test.ts', 'X1:')),
  X2: proved(by(BOUNDED, 'X2:'), by('test/shared/rounds/model/thread.test.ts', 'X2:')),
  X3: proved(by(BOUNDED, 'X3:')),
  X4: proved(
    by(BOUNDED, 'X4:'),
    by('test/shared/rounds/explore.test.ts', 'comes to rest by itself and reaches the printed bounds exactly'),
  ),
  X5: proved(by(BOUNDED, 'X5:')),
  X15: proved(
    by(BOUNDED, 'X15:', 'stays within its bounds, says nothing twice and comes to rest'),
    by('test/services/guard/model.test.ts', 'X15:'),
  ),
  X13: proved(
    by('test/shared/rounds/plan/thread-replies-plan.test.ts', 'X13: is nothing in a thread that ended'),
    by('test/integration/story-talk.test.ts', 'X13: cause nothing in a thread that the bot has closed'),
  ),
  X14: proved(
    by('test/shared/rounds/plan/thread-replies-plan.test.ts', 'X14: is one cycle of that thread, and all else stays'),
    by('test/integration/story-talk.test.ts', 'X14: are answered by one cycle each at the same head'),
    by('test/integration/talk-fleet.test.ts', 'X14: an answer is answered once although the %s is killed at %s'),
    by(
      'test/shared/rounds/decide/decide-thread-replies.test.ts',
      'the runs stay below their cap, and all is quiet after the last answer',
    ),
  ),
  X6: proved(
    by('test/integration/same-input.test.ts', 'X6: an empty commit, other words, a rebase and A, B, A, B'),
    by('test/integration/same-input.test.ts', 'X6: a line that moves to another function is reviewed'),
    by('test/integration/same-input.test.ts', 'X6: a merge that takes back what the target branch has done since'),
    by('test/integration/same-input-kills.test.ts', 'X6: an empty commit is not reviewed although the'),
    by('test/services/reviewer/same-input.test.ts', 'X6:'),
    by('test/shared/rounds/model/carried.test.ts', 'is posted without a round, and the head has its verdict then'),
  ),
  X7: proved(
    by('test/shared/rounds/raised-again.test.ts', 'X7: a closed claim', 'is known reworded, with its lines moved'),
    by('test/shared/rounds/raised-again.test.ts', 'never hides what blocks'),
    by('test/shared/rounds/gate/gate.test.ts', 'X7:'),
  ),
};

export const REGISTER: Readonly<Record<string, Proof>> = joinTables([
  INGRESS,
  POST,
  QUEUE,
  AGENT,
  LOOP,
  LOOP_ROWS,
  AUTHOR_ROWS,
  CAGE_ROWS,
  CI_ROWS,
  DOCTOR_ROWS,
  HOSTILE_ROWS,
]);
