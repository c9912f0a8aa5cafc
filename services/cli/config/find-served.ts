import type { Config } from '../../../shared/config/load.ts';
import type { ProjectName } from '../../../shared/config/projects/matching.ts';
import { inScope, parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import { UsageError } from '../terminal/usage-error.ts';

const PATH = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)+$/;

/**
 * The project that a user names. A first part that is the id of a forge names the forge, if a path of two parts is left.
 *
 * @throws UsageError if no forge, or more than one, serves the project.
 */
export const findServed = ({ forges }: Config, reference: string): ProjectName => {
  if (!PATH.test(reference)) throw new UsageError('expected owner/name or FORGE/owner/name, such as acme/shop');
  const [first = '', ...rest] = reference.split('/');
  const named = rest.length >= 2 && forges.some(({ id }) => id === first);
  const path = named ? rest.join('/') : reference;
  const serving = forges
    .filter(({ id, projects }) => (!named || id === first) && inScope(parseProjectScope(projects), path))
    .map(({ id }) => id);
  const [forge, other] = serving;
  if (forge === undefined) throw new UsageError(`no [[forge]] of the configuration serves ${path}`);
  if (other !== undefined)
    throw new UsageError(`several forges serve ${path}; expected ${serving.map((id) => `${id}/${path}`).join(' or ')}`);
  return { forge, path };
};
