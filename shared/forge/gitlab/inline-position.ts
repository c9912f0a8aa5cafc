import { type GitlabLines, toGitlabLines } from '../../diff/position/gitlab-position.ts';
import type { Position } from '../../diff/position/position.ts';
import type { ApiDiffVersion } from './api/schema.ts';

export type GitlabPosition = GitlabLines & {
  readonly position_type: 'text';
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
};

/** Best first. A comment on the whole file is not offered: its draft looks like a draft that GitLab drops on publishing. */
export const positionsFor = (position: Position, version: ApiDiffVersion): readonly GitlabPosition[] => {
  const commits = {
    position_type: 'text',
    base_sha: version.base_commit_sha,
    start_sha: version.start_commit_sha,
    head_sha: version.head_commit_sha,
  } as const;
  const whole = toGitlabLines(position);
  const lines = whole.line_range === undefined ? [whole] : [whole, toGitlabLines({ ...position, start: position.end })];
  return lines.map((each) => ({ ...commits, ...each }));
};
