/** Faults of the gate compared with GitLab's source: where the status is set, and which CI is read. */
import { by, type Proof, proved } from '../named-test.ts';

const STORY = 'test/integration/gitlab-gate.test.ts';
const PIPELINES = 'test/shared/forge/gitlab-pipelines.test.ts';
const CI = 'test/shared/forge/gitlab-ci.test.ts';
const FOLLOW = 'test/shared/rounds/decide/follow-status.test.ts';
const DOCTOR = 'test/services/cli/doctor-gitlab.test.ts';

export const GATE_ROWS: Readonly<Record<string, Proof>> = {
  GL1: proved(
    by(STORY, 'GL1: the review takes place, the status is said to be unset, and no pipeline is made that holds it up'),
    by(
      PIPELINES,
      'makes no pipeline that nobody could end',
      'asks a pipeline that is there once per head',
      'is set by a maintainer (push %i, merge %i)',
      'goes into the merge request’s own pipeline, which is not protected',
    ),
    by(
      DOCTOR,
      'GL1: names a protected source branch, and the rights that are needed',
      'GL1: names a job of the project that is called like the status',
    ),
  ),
  GL2: proved(
    by(
      STORY,
      'GL2: the pipeline that came after our pending waits for the verdict, and then it is merged',
      'GL2: a pipeline that comes minutes after the verdict gets it too',
      'GL2: the sweep finds the newer pipeline of which no event told',
    ),
    by(
      PIPELINES,
      'GL2: is the newer one (%s) that began after our pending: pending is said there again, and the older one ends too',
      'GL2: where the gate looks is told with the facts, and changes with the newer pipeline',
    ),
    by(FOLLOW, 'GL2: the status is written again when the gate looks elsewhere'),
    by('test/services/ingress/app.test.ts', 'becomes an event of every change request that has it as head'),
    by('test/services/poster/take-back.test.ts', 'GL2: it is written again where the gate looks elsewhere by now'),
    by('test/shared/store/heads.test.ts', 'GL2: an event that came before anybody was known is made up for'),
  ),
  GL3: proved(
    by(
      PIPELINES,
      'GL3: is the one of merged results, whose commit is a trial merge',
      'GL3: the older trial merge of the same head ends too',
      'GL3: of merged results is that of the trial merge, and its parents are asked for once',
    ),
    by(CI, 'GL3: a pipeline of merged results %s'),
  ),
  GL4: proved(
    by(
      PIPELINES,
      'GL4: of another merge request of the same branch is left alone',
      'GL4: of the branch is left alone while another merge request is merged by it',
    ),
    by(STORY, 'GL4: the shared pipeline passes only when both have passed'),
    by('test/services/poster/place-members.test.ts', 'GL4: one whose gate looks elsewhere holds nobody up'),
  ),
  GL5: proved(
    by(
      PIPELINES,
      'GL5: is that of the head pipeline: newer and older ones do not cover it',
      'GL5: of a broken .gitlab-ci.yml has failed, also when our own status has turned its pipeline',
      'GL5: of a fork is read there (%s)',
    ),
    by(STORY, 'GL5: the verdict is no pass, and nothing is merged', 'GL5: the verdict follows its CI, down and up'),
    by('test/shared/rounds/model/ci.test.ts', 'may still begin for a while where %s is recorded'),
    by('test/shared/rounds/decide/decide-ci.test.ts', 'GL5: a would-be pass waits until CI may no longer begin'),
  ),
};
