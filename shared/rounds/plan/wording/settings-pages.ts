import type { ChangeRequestFacts } from '../../../forge/port-facts.ts';
import { type FilePages, filePagesOf } from '../../../vocabulary/file-pages.ts';

/** The pages on which people can see the target branch's `.fixpoint.toml`. Null if their address is unknown. */
export const settingsPagesOf = ({
  webUrl,
  targetBranch,
}: Pick<ChangeRequestFacts, 'webUrl' | 'targetBranch'>): FilePages | null =>
  filePagesOf(webUrl, { branch: targetBranch, path: '.fixpoint.toml' });
