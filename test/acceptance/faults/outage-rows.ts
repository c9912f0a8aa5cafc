/** Faults under outages and races. */
import { by, type Proof, proved } from '../named-test.ts';

export const OUTAGE_ROWS: Readonly<Record<string, Proof>> = {
  'F-E11': proved(
    by(
      'test/services/guard/fair-queues.test.ts',
      'F-E11: a change request that was just opened does not wait for the old ones of its project',
    ),
    by('test/shared/queue/inbox.test.ts', 'F-E11: lets every other event overtake those of the sweep'),
  ),
  'F-E4': proved(
    by(
      'test/integration/place-story.test.ts',
      'F-E4: a status that somebody else overwrote is written again by the sweep',
    ),
    by('test/services/poster/acknowledge.test.ts', 'F-E4: a poster that slept through its lease writes nothing'),
  ),
  'F-D1': proved(
    by(
      'test/shared/agent/models/connection-errors.test.ts',
      'F-D1: a certificate refused with %s was sent nothing, and trying again does not help',
    ),
    by('test/shared/agent/models/connection-errors.test.ts', 'F-D1: %s was not sent, and is an outage'),
    by(
      'test/shared/agent/run-budgets.test.ts',
      'F-D1: settle what a stopped call cost, and hand on the reason of its caller',
    ),
  ),
  'F-D2': proved(
    by(
      'test/shared/agent/models/conformance.test.ts',
      'F-D2: that breaks with an overload event costs its input and what was streamed',
    ),
    by('test/shared/agent/run-budgets.test.ts', 'F-D2: count %s of a call that failed so'),
  ),
  'F-E3': proved(
    by(
      'test/integration/outages-redis.test.ts',
      'at %s changes nothing of what is said in the end',
      'refuses webhooks meanwhile, and the next sweep finds what they told',
    ),
    by(
      'test/shared/runtime/redis-check.test.ts',
      'F-E3: is not ready while Redis accepts no writes, and is again afterwards',
      'F-E3: keeps one write under way, however often it is asked',
    ),
  ),
  'F-E8': proved(
    by(
      'test/integration/expiry.test.ts',
      'F-E8: every key expires, but for a short list that does not grow with change requests',
    ),
  ),
  'F-E6': proved(
    by(
      'test/shared/workspace/damaged-mirror.test.ts',
      'is left behind and fetched again: %s',
      'is still there for whoever reads it, and its locks stop nobody',
    ),
  ),
  'F-E7': proved(
    by('test/shared/rounds/decide/bound-waits.test.ts', 'is cut to its own setting, and guard comes back at its end'),
    by('test/shared/store/steady-clock.test.ts', 'does not notice that the clock of its machine jumps by %i ms'),
    by(
      'test/shared/workspace/process/file-lock.test.ts',
      'F-E7: is not misled by a lock that a clock %i s apart has stamped',
    ),
  ),
  'F-D3': proved(
    by(
      'test/shared/store/seed-budget.test.ts',
      'F-D3: what signed markers remember is counted again after a wipe, once',
    ),
  ),
  'F-F9': proved(
    by(
      'test/shared/queue/failed-jobs.test.ts',
      'F-F9: names each job that failed for good with its error code, the newest first',
      'F-F9: queues it once, however often it is asked, with all of its attempts',
      'F-F9: removes it, so that its id is free, and nothing that has not failed',
    ),
    by(
      'test/services/cli/jobs/jobs.test.ts',
      'F-F9: lists the failed jobs with code, meaning and change request, for people and for programs',
      'F-F9: runs one job again or all of them, and drops one',
    ),
    by('test/integration/metrics-story.test.ts', 'F-F9: count the job that failed for good, and show its age'),
  ),
  'F-F10': proved(
    by('test/shared/outage/watch-outages.test.ts', 'F-F10: names what is away in readyz, in status and as a number'),
  ),
  'F-E5': proved(
    by(
      'test/integration/outages.test.ts',
      'of the model, %s, at %s changes nothing of what is said in the end',
      'of the forge, %s, at %s changes nothing of what is said in the end',
      'is named in the status of the head while the run waits',
    ),
    by(
      'test/shared/rounds/decide/decide-outage.test.ts',
      'stays the same run, its deadline moves once by the patience, and its status names the outage',
      'closes its head for a while, and uses neither run nor attempt',
      'ends the run at once, and is tried again after a restart only',
    ),
    by('test/shared/queue/outage-wait.test.ts', 'waits without using its only attempt, says so once, and goes on'),
    by(
      'test/shared/outage/outage.test.ts',
      '%s is what waits, ends at once, or neither',
      'that ends work at once has words for the operator, whatever its code',
    ),
    by('test/shared/workspace/git-trouble.test.ts', 'that meets %s', 'that reaches no server waits'),
    by(
      'test/integration/outages.test.ts',
      'of git, %s, is named at once in words, ends the run, and is tried again when somebody asks',
    ),
    by(
      'test/integration/outages-disk.test.ts',
      'before anything is there changes nothing of what is said in the end',
      'at %s changes nothing of what is said in the end',
      'while the model answers changes nothing of what is said in the end',
    ),
    by(
      'test/integration/outages-author.test.ts',
      'of the model, %s, changes nothing of what is counted, pushed and said',
      'of the forge, when it is %s, changes nothing, and the model is not asked again',
      'that hides the answer to a push pushes nothing twice',
    ),
    by('test/shared/workspace/push.test.ts', 'F-E5: that the server gives up under way with %i is no refusal of it'),
    by('test/shared/rounds/explore.test.ts', 'comes to rest by itself and reaches the printed bounds exactly: %s'),
  ),
};
