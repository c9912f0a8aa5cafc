/** Checks whether the forge has webhooks to this Fixpoint: without webhooks, only the next sweep notices an event. */
import type { Hook } from '../../../shared/forge/port-listing.ts';
import type { ProjectRef } from '../../../shared/forge/port-facts.ts';
import type { Logger } from '../../../shared/logger.ts';
import { type HookHealth, type HookReport, isAmiss } from '../../../shared/store/sweep/sweep-hooks.ts';
import { factsOf } from '../../../shared/forge/kinds/forge-kind.ts';
import type { SweepDeps, SweepForge } from './sweep-deps.ts';
import type { SweepMeter } from './sweep-meter.ts';
import { dropEnd } from '../../../shared/text/drop-end.ts';

/** Webhooks of one project are read at most once in this time, to limit requests to the forge. */
const ASK_EVERY_MS = 3_600_000;

/** Reports of projects that left the scope expire after this time. */
const FORGET_MS = 24 * 3_600_000;

export type HookCheck = {
  readonly project: ProjectRef;
  readonly meter: SweepMeter;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Returns true on the first call for a forge in this process, false afterwards. */
  readonly firstHidden: () => boolean;
};

/** Checks a project at most once an hour, and logs when its state gets worse. */
export const checkHooks = async (deps: SweepDeps, forge: SweepForge, check: HookCheck): Promise<void> => {
  const { project, log } = check;
  const before = await deps.hooks.load(forge.id, project.id);
  const atMs = deps.nowMs();
  if (before !== null && atMs < before.atMs + ASK_EVERY_MS) return;
  const asked: HookReport = { v: 1, projectId: project.id, path: project.path, ...HIDDEN, atMs };
  // Saved before reading, so that a forge that fails here is not asked again in every sweep.
  await deps.hooks.save(forge.id, { ...(before ?? asked), atMs });
  const ask: AskHooks = (owner) => {
    check.meter.spend(1);
    return forge.read.fetchHooks(owner, check.signal);
  };
  const report = { ...asked, ...(await findHookHealth(forge.id, project, ask)) };
  await deps.hooks.save(forge.id, report);
  await deps.hookAlarm?.(forge.id, report);
  const bindings = { forge: forge.id, project: project.id, path: project.path };
  if (report.health === 'hidden' && check.firstHidden())
    log.info(bindings, 'the account is not allowed to see webhooks');
  if (isAmiss(report) && report.health !== before?.health) {
    const { health, lacks } = report;
    log.warn({ ...bindings, health, lacks, fix: fixFor(forge, health) }, 'a webhook does not work');
  }
};

export type HookFinding = Pick<HookReport, 'health' | 'untilMs' | 'lacks'>;

type Owner = Parameters<SweepForge['read']['fetchHooks']>[0];
type AskHooks = (owner: Owner) => Promise<readonly Hook[] | null>;

/** Checks the project and its groups, bottom up, until a working webhook is found. */
export const findHookHealth = async (forge: string, project: ProjectRef, ask: AskHooks): Promise<HookFinding> => {
  const found: Hook[] = [];
  let isComplete = true;
  for (const owner of [{ kind: 'project' as const, project }, ...groupsAbove(project.path)]) {
    const hooks = await ask(owner);
    // An account that may not see the project's webhooks may not see its groups' webhooks either.
    if (hooks === null && owner.kind === 'project') return HIDDEN;
    isComplete &&= hooks !== null;
    found.push(...(hooks ?? []).filter(({ url }) => leadsHere(forge, url)));
    if (judgeHooks(found, false).health === 'working') break;
  }
  return judgeHooks(found, isComplete);
};

const HIDDEN: HookFinding = { health: 'hidden', untilMs: null, lacks: [] };

/** `isComplete` is false if some webhooks could not be read. */
export const judgeHooks = (ours: readonly Hook[], isComplete: boolean): HookFinding => {
  const active = ours.filter(({ state }) => state === 'working');
  const [fit, ...others] = active.filter(({ unfit }) => unfit === null);
  if (fit !== undefined) {
    // Two webhooks together may cover all the events.
    const lacks = fit.lacks.filter((event) => others.every((other) => other.lacks.includes(event)));
    return { health: lacks.length === 0 ? 'working' : 'partial', untilMs: null, lacks };
  }
  const unfit = active.flatMap((hook) => (hook.unfit === null ? [] : [hook.unfit]));
  if (unfit.length > 0) return { health: 'unfit', untilMs: null, lacks: [...new Set(unfit)] };
  const [first] = ours.toSorted((one, two) => (one.untilMs ?? Infinity) - (two.untilMs ?? Infinity));
  if (first !== undefined) return { health: 'disabled', untilMs: first.untilMs, lacks: [] };
  return { health: isComplete ? 'missing' : 'hidden', untilMs: null, lacks: [] };
};

const groupsAbove = (path: string): readonly { readonly kind: 'group'; readonly path: string }[] => {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => ({ kind: 'group', path: parts.slice(0, parts.length - index).join('/') }));
};

/** Compares only the end of the path, because a proxy may change everything before it. */
export const leadsHere = (forge: string, url: string): boolean =>
  URL.canParse(url) && dropEnd(new URL(url).pathname, (character) => character === '/').endsWith(`/webhooks/${forge}`);

const fixFor = ({ kind, id }: SweepForge, health: HookHealth): string => {
  switch (health) {
    case 'disabled':
      return factsOf(kind).switchHookOn;
    case 'partial':
      return 'enable the missing events in Settings, Webhooks';
    case 'unfit':
      return 'fix it in Settings, Webhooks';
    case 'working':
    case 'hidden':
    case 'missing':
      return `add a webhook to the path /webhooks/${id} of the ingress, unless an instance webhook points there`;
    default:
      return health satisfies never;
  }
};

export const showHookHealth = async (
  deps: Pick<SweepDeps, 'forges' | 'hooks' | 'metrics' | 'nowMs'>,
): Promise<void> => {
  for (const { id } of deps.forges) {
    const recent = (await deps.hooks.all(id)).filter(({ atMs }) => atMs > deps.nowMs() - FORGET_MS);
    deps.metrics.hooksDisabled.set({ forge: id }, recent.filter(isAmiss).length);
  }
};
