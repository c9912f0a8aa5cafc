/** Checks whether a GitLab project's settings let Fixpoint's status block a merge; see deploy/guide/gitlab.md. */
import type { MergeSettings } from '../../../shared/forge/dialect/dialect.ts';
import { type Seen, warn } from './check.ts';

const GUIDE = 'see deploy/guide/gitlab.md';

export const mergeSettingsSeen = (path: string, settings: MergeSettings): readonly Seen[] => [
  ...(settings.waitsForPipelines === false
    ? [
        warn(
          `${path}: merging does not wait for pipelines, so Fixpoint's status does not block it`,
          `to make merging wait for the review, enable "Pipelines must succeed" in Settings, Merge requests; ${GUIDE}`,
        ),
      ]
    : []),
  ...(settings.waitsForPipelines === true && settings.skippedPasses
    ? [
        warn(
          `${path}: a skipped pipeline counts as passed, so a push with [skip ci] can be merged before it is reviewed`,
          `disable "Skipped pipelines are considered successful" in Settings, Merge requests; ${GUIDE}`,
        ),
      ]
    : []),
];
