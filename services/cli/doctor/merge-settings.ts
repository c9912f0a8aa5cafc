/** Whether the settings of a project let a status of Fixpoint hold a merge on GitLab; see deploy/guide/gitlab.md. */
import type { MergeSettings } from '../../../shared/forge/kinds/dialect.ts';
import { type Seen, warn } from './check.ts';

const GUIDE = 'see deploy/guide/gitlab.md';

export const mergeSettingsSeen = (path: string, settings: MergeSettings): readonly Seen[] => [
  ...(settings.waitsForPipelines === false
    ? [
        warn(
          `${path}: a merge does not wait for pipelines, so a status of Fixpoint holds nothing back`,
          `if a merge shall wait for the review, tick "Pipelines must succeed" in Settings, Merge requests; ${GUIDE}`,
        ),
      ]
    : []),
  ...(settings.waitsForPipelines === true && settings.skippedPasses
    ? [
        warn(
          `${path}: a skipped pipeline counts as passed, so a push with [skip ci] can be merged before it is reviewed`,
          `untick "Skipped pipelines are considered successful" in Settings, Merge requests; ${GUIDE}`,
        ),
      ]
    : []),
];
