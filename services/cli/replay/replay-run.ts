/** Replays one recorded run from its brief, its conversation and the git mirror on this disk. Makes no network calls. */
import type { ProjectBrief } from '../../../shared/runtime/settings-of-brief.ts';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAgentClock } from '../../../shared/agent/model/clock.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import { createRecordedModel } from '../../../shared/agent/recorded-model.ts';
import { type Replayed, replayTranscript } from '../../../shared/agent/replay.ts';
import { startTranscript, type Transcript } from '../../../shared/agent/transcript.ts';
import { createBoundaries } from '../../../shared/agent/boundary.ts';
import type { Agent } from '../../../shared/config/agent-settings.ts';
import type { ConnectedModel } from '../../../shared/runtime/connect-model.ts';
import type { Brief } from '../../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { type Analysis, NO_ANALYSIS } from '../../../shared/rules/model/analysis.ts';
import type { ProjectIgnores } from '../../../shared/vocabulary/ignores.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { type Transcripts, TranscriptConflictError } from '../../../shared/store/transcripts.ts';
import type { Redactor } from '../../../shared/text/redact.ts';
import { findGit } from '../../../shared/workspace/git/git.ts';
import { openLocalRepository } from '../../../shared/workspace/local/local.ts';
import { createRevisions, type Revisions } from '../../../shared/workspace/git/revisions.ts';
import { NO_EXPLORERS } from '../../reviewer/run/explorers.ts';
import type { PacketLimits } from '../../reviewer/packet/packet.ts';
import { reviewOnce } from '../../reviewer/review.ts';
import { conversationsOf } from '../../reviewer/run/plan-review.ts';
import type { Runner } from '../../reviewer/run/runner.ts';
import { createAgentRunner } from '../../reviewer/runners/agent.ts';
import { createRulesRunner } from '../../reviewer/runners/rules.ts';
import { ignoringFor } from '../../reviewer/rules/project-ignores.ts';
import { taskOf } from '../../reviewer/task.ts';
import { type ReplayDifference, firstDifference } from './replay-difference.ts';

/** Contract: only reads what is stored. */
export type ReplaySources = {
  readonly loadBrief: (runId: string) => Promise<Brief | null>;
  readonly loadTranscript: (id: string) => Promise<Transcript | null>;
  readonly loadDraft: (runId: string) => Promise<string | null>;
  /** What the operator's analyzers found in the run; null if none ran. */
  readonly loadAnalysis: (runId: string) => Promise<Analysis | null>;
  readonly mirrorOf: (of: ChangeRequest) => Promise<string>;
};

export type ReplaySettings = {
  readonly agent: Agent;
  readonly limits: PacketLimits;
  readonly operatorRulesOf: (brief: ProjectBrief) => string;
  /** Whether the hash of the rules cannot be computed again; then that of the stored draft is kept. */
  readonly rulesUnknown: boolean;
  readonly projectIgnores?: ProjectIgnores;
  readonly analyzerNames?: readonly string[];
  readonly duplicateThreshold: number;
  /** Needs the reviewer's secrets, because text that was redacted in the run must be redacted again. */
  readonly redact: Redactor;
  readonly searchPath: string;
  readonly renameLikenessAt: (forgeId: string) => number;
};

export type Comparison =
  | { readonly kind: 'identical' }
  | { readonly kind: 'differs'; readonly difference: ReplayDifference }
  /** The run produced no draft, and none is stored. */
  | { readonly kind: 'no_draft' }
  /** The run produced a draft, but none is stored: the run was superseded at the end, or the draft expired. */
  | { readonly kind: 'nothing_stored' };

export type Replay =
  | { readonly kind: 'missing'; readonly what: string }
  /** The reviewer was an external program, whose conversation is not stored. */
  | { readonly kind: 'not_recorded'; readonly because: string }
  | {
      readonly kind: 'replayed';
      readonly brief: Brief;
      /** Null if only the rules ran. */
      readonly transcript: Transcript | null;
      /** Null if only the rules ran. */
      readonly ended: Replayed | null;
      readonly draft: ReviewDraft | null;
      readonly comparison: Comparison;
    };

type Recorded = {
  readonly brief: Brief;
  readonly transcript: Transcript | null;
  readonly stored: string | null;
  readonly analysis: Analysis | null;
};

/** @throws TranscriptMismatchError for a run of another version; TranscriptUnreadableError, GitError */
export const replayRun = async (
  { sources, settings }: { readonly sources: ReplaySources; readonly settings: ReplaySettings },
  runId: string,
  signal: AbortSignal,
): Promise<Replay> => {
  const brief = await sources.loadBrief(runId);
  if (brief === null) return missing('the run: it never started here, or its data has expired');
  const recorded = {
    brief,
    transcript: await sources.loadTranscript(runId),
    stored: await sources.loadDraft(runId),
    analysis: await sources.loadAnalysis(runId),
  };
  const because = whyNotRecorded(recorded) ?? (await whyInParts(recorded, { sources, runId }));
  if (because !== null) return { kind: 'not_recorded', because };
  const gone = whatIsGone(recorded);
  if (gone !== null) return missing(gone);
  const ended = recorded.transcript === null ? null : replayTranscript(recorded.transcript);
  const told = { kind: 'replayed' as const, brief, transcript: recorded.transcript, ended };
  if (!givesDraft(ended)) return { ...told, draft: null, comparison: compare(recorded.stored, null, settings) };
  const mirror = await sources.mirrorOf(brief.changeRequest);
  const draft = await draftAgain({ recorded, settings, mirror }, signal);
  if (typeof draft === 'string') return missing(draft);
  return { ...told, draft, comparison: compare(recorded.stored, draft, settings) };
};

const missing = (what: string): Replay => ({ kind: 'missing', what });

const UNRECORDED: Readonly<Record<string, string>> = {
  messages: 'an external reviewer made the review, and its conversation is not recorded',
  'claude-code': 'the Claude Code CLI made the review, and its conversation is not recorded',
};

/** Only the draft is stored for an external reviewer, so a replay would have to ask it again. */
const whyNotRecorded = ({ transcript, stored }: Recorded): string | null =>
  transcript === null && stored !== null ? (UNRECORDED[storedDraft(stored).runner ?? ''] ?? null) : null;

type InParts = { readonly sources: ReplaySources; readonly runId: string };

/** Which parts were reviewed depends on the budget that was left at that time, which is not recorded. */
const whyInParts = async ({ transcript }: Recorded, { sources, runId }: InParts): Promise<string | null> => {
  if (transcript !== null) return null;
  const held = await conversationsOf({ load: sources.loadTranscript }, runId);
  return held.length === 0 ? null : 'the change was reviewed in parts, and such a review cannot be replayed';
};

const whatIsGone = ({ transcript, stored }: Recorded): string | null => {
  if (transcript !== null) return null;
  if (stored === null)
    return 'the conversation and the draft of the run: the run ended before it had them, or they have expired';
  return storedDraft(stored).spent.modelCalls > 0 ? 'the conversation of the run' : null;
};

const givesDraft = (ended: Replayed | null): boolean =>
  ended === null ||
  (ended.kind === 'ended' && (ended.outcome.kind === 'submitted' || ended.outcome.kind === 'budget_exceeded'));

const storedDraft = (text: string): ReviewDraft => ReviewDraft.parse(JSON.parse(text));

const compare = (
  stored: string | null,
  draft: ReviewDraft | null,
  { rulesUnknown }: Pick<ReplaySettings, 'rulesUnknown'>,
): Comparison => {
  if (stored === null) return { kind: draft === null ? 'no_draft' : 'nothing_stored' };
  const again = draft === null ? null : withStoredValidations(draft, stored);
  const kept = again === null || !rulesUnknown ? again : { ...again, rules: storedDraft(stored).rules };
  const replayed = JSON.stringify(kept);
  if (stored === replayed) return { kind: 'identical' };
  const difference = firstDifference(JSON.parse(stored), JSON.parse(replayed));
  return {
    kind: 'differs',
    difference: difference ?? { at: '', stored: 'the same fields', replayed: 'in a different order' },
  };
};

/** Keeps the stored results of validation commands: the environment in which they ran is gone. */
const withStoredValidations = (draft: ReviewDraft, stored: string): ReviewDraft => ({
  ...draft,
  validations: storedDraft(stored).validations,
});

type Again = { readonly recorded: Recorded; readonly settings: ReplaySettings; readonly mirror: string };

/** Returns the draft, or a sentence when the commits are not on this disk. */
const draftAgain = async (again: Again, signal: AbortSignal): Promise<ReviewDraft | string> => {
  const { settings, mirror } = again;
  if (!(await isFolder(mirror))) return `the git mirror of the project, expected at ${mirror}`;
  const scratchFolder = await mkdtemp(path.join(tmpdir(), 'fixpoint-replay-'));
  try {
    const gitPath = findGit(settings.searchPath);
    const repository = await openLocalRepository({ directory: mirror, gitPath, scratchFolder }, signal);
    const renameLikeness = settings.renameLikenessAt(again.recorded.brief.changeRequest.forge);
    const revisions = createRevisions(repository.git, { renameLikeness });
    try {
      return await reviewAgain(again, { revisions, checkoutFolder: path.join(scratchFolder, 'checkouts') }, signal);
    } finally {
      revisions.close();
    }
  } finally {
    await rm(scratchFolder, { recursive: true, force: true });
  }
};

const isFolder = async (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

type Ground = { readonly revisions: Revisions; readonly checkoutFolder: string };

const reviewAgain = async (
  { recorded, settings }: Again,
  { revisions, checkoutFolder }: Ground,
  signal: AbortSignal,
): Promise<ReviewDraft | string> => {
  const { brief } = recorded;
  for (const commit of [brief.head, brief.targetHead])
    if (!(await revisions.exists(commit, signal))) return `the commit ${commit} in the git mirror`;
  const { maxTurns, maxRuntimeS } = settings.agent.reviewer;
  const result = await reviewOnce({
    identity: brief,
    request: brief,
    // Notes of earlier runs were only in the prompt, which is part of the recorded conversation.
    task: taskOf(brief, null),
    scope: {
      runId: brief.runId,
      changeRequest: brief.changeRequest,
      maxTurns,
      maxRuntimeS,
      explorers: NO_EXPLORERS,
      isSuperseded: async () => false,
    },
    source: { revisions, limits: settings.limits, signal },
    runner: runnerOf(recorded, settings, checkoutFolder),
    operatorRules: settings.operatorRulesOf(brief),
    // If an `[[ignore]]` entry has ended since the run, the replay shows a difference.
    ignoring: ignoringFor({ ...settings, nowMs: Date.now }, brief),
    redact: settings.redact,
    // The environment in which the analyzers ran is gone.
    analyze: async () => recorded.analysis ?? NO_ANALYSIS,
  });
  if (result.kind !== 'draft') throw new Error(`a conversation that produced a draft now ends as ${result.kind}`);
  return ReviewDraft.parse(result.draft);
};

const runnerOf = ({ transcript, stored }: Recorded, settings: ReplaySettings, checkoutFolder: string): Runner =>
  transcript === null ? rulesAgain(stored) : agentAgain(transcript, settings, checkoutFolder);

/** Copies the stored duration, which cannot be computed again. */
const rulesAgain = (stored: string | null): Runner => {
  const rules = createRulesRunner();
  return {
    name: rules.name,
    run: async (input, signal) => {
      const result = await rules.run(input, signal);
      if (result.kind !== 'draft' || stored === null) return result;
      return { kind: 'draft', draft: { ...result.draft, spent: storedDraft(stored).spent } };
    },
  };
};

/** Uses the limit of the recorded run instead of the current settings, because it determines what the model saw. */
const agentAgain = (transcript: Transcript, settings: ReplaySettings, checkoutFolder: string): Runner => {
  const { compactAtTokens } = transcript.start;
  return createAgentRunner({
    connected: silentModel(transcript),
    agent: { ...settings.agent, compactAtTokens },
    duplicateThreshold: settings.duplicateThreshold,
    // The results of verifiers are part of the recorded conversation.
    verifyMax: null,
    finders: false,
    transcripts: onlyRead(transcript),
    checkoutFolder,
    // No tools run, because the recorded conversation holds their results.
    cage: null,
    redact: settings.redact,
    saveNotes: async () => {},
    // The recorded conversation already contains its boundary.
    boundaryOf: createBoundaries([], () => Date.now()),
    observe: () => {},
    checkpoint: () => {},
  });
};

const NOTHING = { tokens: 0, microUsd: 0 } as const;

/** A finished conversation makes no model calls. This model could not make any: it has no address and no budget. */
const silentModel = ({ start }: Transcript): ConnectedModel => ({
  model: createRecordedModel(startTranscript(start)),
  clock: createAgentClock(() => 0),
  meterOf: (_model, { runId, changeRequest, role }) => ({
    ledger: createMemoryLedger({ run: NOTHING, change_request: NOTHING, project: NOTHING, day: NOTHING }),
    account: { runId, changeRequest, day: '1970-01-01' },
    role,
    price: { inputPerMTok: 0, outputPerMTok: 0, above: null, cache: { read: 0, write: 0, writeLong: 0 } },
    newCallId: () => 'none',
  }),
});

const onlyRead = (transcript: Transcript): Transcripts => {
  const refuse = async (id: string): Promise<never> => Promise.reject(new TranscriptConflictError(id, 'replay'));
  return { load: async () => transcript, begin: refuse, append: refuse };
};
