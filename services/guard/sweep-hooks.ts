/** Whether the webhooks that should lead here work: without them everything comes one sweep late. */
import type { Hook, ProjectRef } from '../../shared/forge/port.ts';
import type { Logger } from '../../shared/logger.ts';
import { type HookHealth, type HookReport, isAmiss } from '../../shared/store/sweep-hooks.ts';
import type { SweepDeps, SweepForge } from './sweep-deps.ts';
import type { SweepMeter } from './sweep-meter.ts';

/** Nobody's forge is to be asked more often. */
const ASK_EVERY_MS = 3_600_000;

/** A project that left the scope is not asked about any more. */
const FORGET_MS = 24 * 3_600_000;

export type HookCheck = {
  readonly project: ProjectRef;
  readonly meter: SweepMeter;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** True once for each forge and process. */
  readonly firstHidden: () => boolean;
};

/** At most once an hour for each project; says in the log what has changed for the worse, once. */
export const checkHooks = async (deps: SweepDeps, forge: SweepForge, check: HookCheck): Promise<void> => {
  const { project, log } = check;
  const before = await deps.hooks.load(forge.id, project.id);
  const atMs = deps.nowMs();
  if (before !== null && atMs < before.atMs + ASK_EVERY_MS) return;
  const asked: HookReport = { v: 1, projectId: project.id, path: project.path, health: 'hidden', untilMs: null, atMs };
  // First, so that a forge that fails at this question is not asked it in every sweep.
  await deps.hooks.save(forge.id, { ...(before ?? asked), atMs });
  const report = { ...asked, ...(await findHealth(forge, check)) };
  await deps.hooks.save(forge.id, report);
  const bindings = { forge: forge.id, project: project.id, path: project.path };
  if (report.health === 'hidden' && check.firstHidden()) log.info(bindings, 'the account may not see webhooks');
  if (isAmiss(report) && report.health !== before?.health) {
    log.warn({ ...bindings, health: report.health, fix: fixFor(forge, report.health) }, 'a webhook does not work');
  }
};

type Finding = Pick<HookReport, 'health' | 'untilMs'>;

/** From the project up to its topmost group, until one is found that works. */
const findHealth = async (forge: SweepForge, { project, meter, signal }: HookCheck): Promise<Finding> => {
  const found: Hook[] = [];
  let isComplete = true;
  for (const owner of [{ kind: 'project' as const, project }, ...groupsAbove(project.path)]) {
    meter.spend(1);
    const hooks = await forge.read.fetchHooks(owner, signal);
    // Whoever may not see those of the project sees none of its groups either.
    if (hooks === null && owner.kind === 'project') return { health: 'hidden', untilMs: null };
    isComplete &&= hooks !== null;
    found.push(...(hooks ?? []).filter(({ url }) => leadsHere(forge.id, url)));
    if (found.some(({ state }) => state === 'working')) break;
  }
  return judgeHooks(found, isComplete);
};

/** `isComplete`: nothing stayed hidden. Pure. */
export const judgeHooks = (ours: readonly Hook[], isComplete: boolean): Finding => {
  if (ours.some(({ state }) => state === 'working')) return { health: 'working', untilMs: null };
  const [first] = ours.toSorted((one, two) => (one.untilMs ?? Infinity) - (two.untilMs ?? Infinity));
  if (first !== undefined) return { health: 'disabled', untilMs: first.untilMs };
  return { health: isComplete ? 'missing' : 'hidden', untilMs: null };
};

const groupsAbove = (path: string): readonly { readonly kind: 'group'; readonly path: string }[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => ({ kind: 'group', path: parts.slice(0, parts.length - index).join('/') }));
};

/** The address in front of the path is the operator's: a proxy may stand there, which we do not know. */
export const leadsHere = (forge: string, url: string): boolean =>
  URL.canParse(url) && new URL(url).pathname.replace(/\/+$/, '').endsWith(`/webhooks/${forge}`);

const SWITCH_ON: Readonly<Record<SweepForge['kind'], string>> = {
  gitlab: 'send a test in Settings, Webhooks: a good answer switches it on again',
  forgejo: 'tick "Active" in Settings, Webhooks',
  gitea: 'tick "Active" in Settings, Webhooks',
};

const fixFor = ({ kind, id }: SweepForge, health: HookHealth): string =>
  health === 'disabled'
    ? SWITCH_ON[kind]
    : `add a webhook to the path /webhooks/${id} of the ingress, unless one of the whole forge leads there`;

export const showHookHealth = async (
  deps: Pick<SweepDeps, 'forges' | 'hooks' | 'metrics' | 'nowMs'>,
): Promise<void> => {
  for (const { id } of deps.forges) {
    const recent = (await deps.hooks.all(id)).filter(({ atMs }) => atMs > deps.nowMs() - FORGET_MS);
    deps.metrics.hooksDisabled.set({ forge: id }, recent.filter(isAmiss).length);
  }
};
