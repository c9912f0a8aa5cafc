/** A change request for each rule that keeps it from its review. */
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { SkipRule } from '../../../../shared/rounds/model/command-reply.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import * as make from '../builders.ts';

const filtered = (filters: Partial<Policy['filters']>): Policy =>
  make.policy({ filters: { ...make.policy().filters, ...filters } });

export const facing = (patch: Parameters<typeof make.changeRequest>[0]) =>
  make.facts({ changeRequest: make.changeRequest(patch) });

export const inputOf = (patch: Partial<DecideInput>): DecideInput => ({
  state: make.state(),
  events: [],
  facts: make.facts(),
  policy: make.policy(),
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

export const SKIPPED: readonly (readonly [SkipRule, Partial<DecideInput>])[] = [
  ['paused', { state: make.state({ pauses: 1 }) }],
  ['draft', { facts: facing({ draft: true }) }],
  ['no_wanted_label', { policy: filtered({ labels: ['ready'] }) }],
  ['ignored_label', { facts: facing({ labels: ['wip'] }), policy: filtered({ ignoreLabels: ['wip'] }) }],
  ['unwanted_author', { policy: filtered({ authors: ['somebody'] }) }],
  ['ignored_author', { policy: filtered({ ignoreAuthors: ['author'] }) }],
  ['unwanted_branch', { policy: filtered({ targetBranches: ['release/*'] }) }],
  ['opened_off', { policy: make.policy({ triggers: ['mention'] }) }],
  ['pushed_off', { state: make.state({ runsUsed: 1 }), policy: make.policy({ triggers: ['opened', 'mention'] }) }],
];
