/** Finds a change request by the name or number of its project. */
import type { ChangeRequestFacts, Project } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { factsOf, type ForgeKind } from '../../../shared/forge/kinds/forge-kind.ts';
import { UsageError } from '../terminal/usage-error.ts';

export type WantedChange = {
  readonly forge: { readonly id: string; readonly kind: ForgeKind };
  readonly project: string | number;
  readonly number: number;
};

export type LookedUp = {
  readonly project: Project;
  readonly facts: ChangeRequestFacts;
  /** The name of the change request as people write it. */
  readonly name: string;
};

/** @throws UsageError when project or change request do not exist, or are not visible */
export const lookUp = async (
  { forge: { id, kind }, project: wanted, number }: WantedChange,
  { read }: Pick<Forge, 'read'>,
  signal: AbortSignal,
): Promise<LookedUp> => {
  const project =
    typeof wanted === 'number' ? await read.fetchProject(wanted, signal) : await read.findProject(wanted, signal);
  if (project === null) throw new UsageError(`there is no project ${wanted}, or the token cannot read it`);
  const facts = await read.fetchChangeRequest({ forge: id, projectId: project.id, number }, signal);
  const name = `${project.path}${factsOf(kind).sigil}${number}`;
  if (facts === null) throw new UsageError(`there is no change request ${name}, or the token cannot read it`);
  return { project, facts, name };
};
