import { type GitlabLines, toGitlabLines } from '../../diff/position/gitlab-position.ts';
import type { Position } from '../../diff/position/position.ts';
import type { ApiDiffVersion } from './api/schema.ts';

export type GitlabPosition = GitlabLines & {
  readonly position_type: 'text';
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
};

/**
 * What is tried for one comment, best first: all its lines, then the last of them, on which it hangs anyway.
 *
 * There is no third step to a comment on the whole file: a draft of one cannot be told from a draft that is lost when
 * it is published, and the caller has a place for what is refused.
 */
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
