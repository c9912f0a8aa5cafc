/** One simulated forge: its hooks are parsed, facts are read with the bot's token, and guard's decision is made. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KnownForge } from '../../services/guard/deps.ts';
import { fetchFacts } from '../../services/guard/facts.ts';
import { connectForge } from '../../shared/forge/kinds/connect.ts';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import { decide } from '../../shared/rounds/decide/decide.ts';
import type { Decision } from '../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../shared/rounds/model/events.ts';
import type { ReviewCommand } from '../../shared/rounds/model/facts.ts';
import { emptyState, type GuardState } from '../../shared/rounds/model/state.ts';
import { ForgeId } from '../../shared/vocabulary/ids.ts';
import { NOW, policy, runId, SECRET } from '../shared/rounds/builders.ts';
import { startForgejoSim } from '../sim/forgejo/start.ts';
import { startGitlabSim } from '../sim/gitlab/start.ts';
import { BOT, type Deeds } from './trigger-deeds.ts';
import { onForgejo } from './trigger-forgejo.ts';
import { onGitlab } from './trigger-gitlab.ts';

export type BotLists = { readonly ignored: Set<number>; readonly allowed: Set<number> };

export type TriggerStage = {
  readonly deeds: Deeds;
  /** The operator's configured bots; a test may add to them. */
  readonly bots: BotLists;
  /** Does what guard does, from the events in its inbox to the decision. */
  readonly attend: (
    number: number,
    events: readonly InboxEvent[],
    state?: GuardState,
  ) => Promise<Decision & { readonly requests: readonly ReviewCommand[] }>;
  readonly close: () => Promise<void>;
};

const startDeeds = async (kind: ForgeKind, dataDir: string): Promise<Deeds> => {
  switch (kind) {
    case 'forgejo':
      return onForgejo(await startForgejoSim({ dataDir, flavour: 'forgejo-15' }));
    case 'gitea':
      return onForgejo(await startForgejoSim({ dataDir, flavour: 'gitea-1.26' }));
    case 'gitlab':
      return onGitlab(await startGitlabSim({ dataDir }));
    default:
      return kind satisfies never;
  }
};

const FORGE = ForgeId.parse('sim');

export const startTriggerStage = async (kind: ForgeKind): Promise<TriggerStage> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-who-'));
  const deeds = await startDeeds(kind, folder);
  const { url: baseUrl, bot, projectId } = deeds;
  const timeouts = { connectMs: 5_000, totalMs: 10_000 };
  const settings = { id: FORGE, kind, baseUrl, token: bot.token, timeouts };
  const forge = await connectForge(settings, AbortSignal.timeout(20_000));
  const bots: BotLists = { ignored: new Set(), allowed: new Set() };
  const otherBots = { ...bots, marks: forge.botMarks };
  const known: KnownForge = { read: forge.read, botIds: new Set([bot.id]), otherBots, mention: BOT };
  return {
    deeds,
    bots,
    attend: async (number, events, state = emptyState()) => {
      const request = {
        forge: known,
        of: { forge: FORGE, projectId, number },
        events,
        seenCommands: state.seenCommands,
        markerSecrets: [SECRET],
        policy: policy(),
        signal: AbortSignal.timeout(20_000),
      };
      const facts = await fetchFacts(request);
      const freshRunId = runId('who');
      return {
        requests: facts.requests,
        ...decide({ facts, events, state, policy: policy(), nowMs: NOW, freshRunId }),
      };
    },
    close: async () => {
      await deeds.close();
      await rm(folder, { recursive: true, force: true });
      const violations = deeds.violations();
      if (violations.length > 0) throw new Error(violations.join('\n'));
    },
  };
};
