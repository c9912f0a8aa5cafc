import type { FileText } from '../../../shared/forge/port-owners.ts';
import type { CodeOwners } from '../../../shared/owners/code-owners.ts';
import { MAX_OWNERS_BYTES } from '../../../shared/owners/owners-syntax.ts';
import type { Calling } from './call-forge.ts';

/** Reads CODEOWNERS of the target branch; null if there is no readable file. */
export const readOwners = async ({ forge, facts, log, signal }: Calling): Promise<CodeOwners | null> => {
  const { targetBranch: branch, changeRequest } = facts;
  for (const path of forge.syntax.places) {
    const at = { projectId: changeRequest.projectId, branch, path };
    const file = await forge.read.fetchFile(at, MAX_OWNERS_BYTES, signal);
    if (file === null) continue;
    const text = textOf(file);
    if (text === null) {
      log.warn({ path, reason: file.kind }, 'skipped CODEOWNERS: it is too large or not text');
      return null;
    }
    const owners = forge.syntax.parse(text);
    if (owners.skipped > 0) log.warn({ path, lines: owners.skipped }, 'skipped lines of CODEOWNERS');
    return owners;
  }
  return null;
};

const textOf = (file: FileText): string | null => (file.kind === 'text' ? file.text : null);
