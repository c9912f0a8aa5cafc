/** How full the budgets for model calls are. */
import { settingsOf } from '../../../shared/config/project-settings.ts';
import { budgetLimitsOf } from '../../../shared/runtime/connect-model.ts';
import type { ProjectOfForge } from '../../../shared/store/board/pauses.ts';
import { createBudgetLedger } from '../../../shared/store/budget-ledger.ts';
import { createProjectNames } from '../../../shared/store/spending/project-names.ts';
import type { BudgetScope } from '../../../shared/vocabulary/exceeded.ts';
import { type ChangeRequest, RunId } from '../../../shared/vocabulary/ids.ts';
import { listRecent } from './listed.ts';
import type { PageSource } from './source.ts';

export type BudgetFill = {
  /** The change request of a budget for one, or the project of a budget for one. Null for the installation. */
  readonly of: ChangeRequest | ProjectOfForge | null;
  /** Of the project, such as `team/app`; null if it is not known, or for the installation. */
  readonly path: string | null;
  readonly usd: number;
  readonly limitUsd: number;
  readonly tokens: number;
  readonly limitTokens: number;
  /** The larger of both shares; 1 is full. */
  readonly share: number;
};

export type BudgetsReading = {
  /** Null if the visitor may see only some projects. */
  readonly day: BudgetFill | null;
  /** Projects with spending today, the fullest first. */
  readonly projects: readonly BudgetFill[];
  /** The fullest of the change requests that were active last. */
  readonly changeRequests: readonly BudgetFill[];
};

const LOOKED_AT = 100;
const SHOWN = 5;
/** Placeholders: the ledger needs all parts of an account, but reads only the counter of one. */
const NOBODY = { runId: RunId.parse('0'.repeat(20)), changeRequest: { forge: 'none', projectId: 1, number: 1 } };

export type SpendingProject = ProjectOfForge & { readonly path: string | undefined };

/** `projects`: those that have spent something today. */
export const readBudgets = async (
  source: PageSource,
  { day, projects }: { readonly day: string; readonly projects: readonly SpendingProject[] },
): Promise<BudgetsReading> => {
  const { config, redis, sight } = source;
  const ledger = createBudgetLedger(redis, {
    prefix: config.redis.prefix,
    limits: budgetLimitsOf(config.budgets.model),
  });
  const recent = await listRecent(source, { offset: 0, limit: LOOKED_AT });
  const names = await createProjectNames(redis, config.redis.prefix).load(recent.page);
  const pathOf = new Map<string, string | undefined>([
    ...recent.page.map(({ forge, projectId }, at) => [`${forge}/${projectId}`, names[at] ?? undefined] as const),
    ...projects.map(({ forge, projectId, path }) => [`${forge}/${projectId}`, path] as const),
  ]);
  const fill = async (scope: BudgetScope, of: BudgetFill['of']): Promise<BudgetFill> => {
    const changeRequest = of === null ? NOBODY.changeRequest : { number: 1, ...of };
    const { tokens, microUsd } = await ledger.spent(scope, { ...NOBODY, changeRequest, day });
    const path = of === null ? undefined : pathOf.get(`${of.forge}/${of.projectId}`);
    const limit = limitsOf(source, of, path)[scope];
    const share = Math.max(tokens / limit.tokens, microUsd / limit.microUsd);
    const money = { usd: microUsd / 1e6, limitUsd: limit.microUsd / 1e6 };
    return { of, path: path ?? null, ...money, tokens, limitTokens: limit.tokens, share };
  };
  const [ofProjects, ofChangeRequests] = await Promise.all([
    Promise.all(projects.slice(0, LOOKED_AT).map(async (project) => fill('project', project))),
    Promise.all(recent.page.map(async (of) => fill('change_request', of))),
  ]);
  return {
    day: sight.isWhole ? await fill('day', null) : null,
    projects: fullest(ofProjects),
    changeRequests: fullest(ofChangeRequests),
  };
};

const fullest = (all: readonly BudgetFill[]): readonly BudgetFill[] =>
  all
    .filter(({ share }) => share > 0)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, SHOWN);

/** Without its path, the sections of a project are unknown, and the limits of the installation are shown. */
const limitsOf = ({ config }: PageSource, of: BudgetFill['of'], path: string | undefined) => {
  const settings = of === null || path === undefined ? config : settingsOf(config, { forge: of.forge, path });
  return budgetLimitsOf(settings.budgets.model);
};
