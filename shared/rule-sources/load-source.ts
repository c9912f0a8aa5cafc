/** Fetches one repository of the operator's `[rules]` and reads its rules and guidelines. */
import { createHash } from 'node:crypto';
import type { Guideline } from '../agent/prompt/review-opening.ts';
import { type RuleSource, SOURCES_S } from '../config/rule-settings.ts';
import { AppError } from '../errors.ts';
import { RulesEngineMissingError } from '../rules/model/errors.ts';
import { isLasting, type RuleProblem, type RuleSet } from '../rules/own/own-rule.ts';
import { isTimeout, withTimeLimit } from '../time-limit.ts';
import type { CommitSha } from '../vocabulary/ids.ts';
import { isDiskFull } from '../workspace/git/disk-full.ts';
import { createRevisions } from '../workspace/git/revisions.ts';
import type { RefResult } from '../workspace/mirror/fetch-ref.ts';
import { createMirror, type Mirror, type MirrorSettings } from '../workspace/mirror/mirror.ts';
import { afterUse, type MirrorAccess, roomFor } from '../workspace/mirror/open-head.ts';
import { onSoundMirror } from '../workspace/mirror/sound-mirror.ts';
import { readSourceGuidelines } from './read-guidelines.ts';
import { readRules } from './read-rules.ts';

export type LoadedSource = {
  readonly name: string;
  /** Null if the repository could not be read. */
  readonly commit: CommitSha | null;
  readonly set: RuleSet;
  readonly guidelines: readonly Guideline[];
  /** Equal for the same content. */
  readonly key: string;
};

export type SourceAccess = { readonly mirror: MirrorAccess; readonly baseUrl: string };

const loaded = new Map<string, LoadedSource>();
const MAX_LOADED = 100;

/**
 * A repository that cannot be read is a problem of the source, never an error.
 * @throws RulesEngineMissingError; the error of a full disk; the signal's reason if aborted.
 */
export const loadSource = async (
  source: RuleSource,
  access: SourceAccess,
  signal: AbortSignal,
): Promise<LoadedSource> => {
  try {
    return await withTimeLimit({ ms: SOURCES_S * 1000, signal }, async (limited) =>
      fetchAndRead(source, access, limited),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isTimeout(error)) return unread(source, `could not be read from \`${source.project}\` within ${SOURCES_S} s`);
    if (!(error instanceof AppError) || error instanceof RulesEngineMissingError || isDiskFull(error)) throw error;
    return unread(source, `could not be read from \`${source.project}\` (${error.code})`);
  }
};

const keyOf = ({ name, forge, project, rules, guidelines }: RuleSource, commit: CommitSha | null): string =>
  JSON.stringify([name, forge, project, rules, guidelines, commit]);

const unread = (source: RuleSource, why: string): LoadedSource => ({
  name: source.name,
  commit: null,
  set: { name: source.name, rules: [], problems: [problemOf(source, why)] },
  guidelines: [],
  key: keyOf(source, null),
});

/** Guidelines are for every file. */
const problemOf = ({ guidelines }: RuleSource, why: string): RuleProblem => ({
  file: null,
  rule: null,
  language: null,
  why,
  ...(guidelines === null ? {} : { always: true }),
});

const fetchAndRead = async (source: RuleSource, access: SourceAccess, signal: AbortSignal): Promise<LoadedSource> => {
  const { forge, project } = source;
  const { dataFolder, gitPath, allowProtocols, caFile, proxy, keeper } = access.mirror;
  const id = createHash('sha256').update(project.toLowerCase()).digest('hex').slice(0, 16);
  const ca = caFile === null ? {} : { caFile };
  const onReleased = afterUse({ keeper, gitPath });
  const common = {
    dataFolder,
    gitPath,
    allowProtocols,
    forge,
    proxy,
    onReleased,
    fetchTimeoutMs: SOURCES_S * 1000,
    ...ca,
  };
  const read = async (mirror: Mirror): Promise<LoadedSource | null> => readFetched(mirror, { source, access }, signal);
  return (
    (await onMirror({ ...common, projectId: `rules-${id}`, objectFormat: 'sha1' }, access, { read, signal })) ??
    (await onMirror({ ...common, projectId: `rules-${id}-sha256`, objectFormat: 'sha256' }, access, {
      read,
      signal,
    })) ??
    unread(source, `could not be read: ${WHY_NOT.other_format(source)}`)
  );
};

type Reading = {
  readonly read: (mirror: Mirror) => Promise<LoadedSource | null>;
  readonly signal: AbortSignal;
};

const onMirror = async (
  settings: MirrorSettings,
  { mirror: access }: SourceAccess,
  { read, signal }: Reading,
): Promise<LoadedSource | null> =>
  onSoundMirror(
    {
      open: async (opening) => createMirror(settings, opening),
      work: read,
      // The source is small, so the new mirror costs little.
      onDamaged: () => {},
      makeRoom: roomFor(access, settings),
    },
    signal,
  );

/** Null if the repository has another object format than the mirror. */
const readFetched = async (
  mirror: Mirror,
  { source, access }: { readonly source: RuleSource; readonly access: SourceAccess },
  signal: AbortSignal,
): Promise<LoadedSource | null> => {
  const { project, ref } = source;
  const request = { url: `${access.baseUrl}/${project}.git`, ref, credential: access.mirror.credential };
  const result = await mirror.fetchRef(request, signal);
  if (result.kind === 'other_format') return null;
  if (result.kind !== 'fetched') return unread(source, `could not be read: ${WHY_NOT[result.kind](source)}`);
  const { commit } = result;
  const key = keyOf(source, commit);
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const read = { ...(await readAt(mirror, source, commit, signal)), key };
  if (!isLasting(read.set)) return read;
  const [oldest] = loaded.keys();
  if (loaded.size >= MAX_LOADED && oldest !== undefined) loaded.delete(oldest);
  loaded.set(key, read);
  return read;
};

const WHY_NOT: Readonly<Record<Exclude<RefResult['kind'], 'fetched'>, (source: RuleSource) => string>> = {
  missing: ({ project, ref }) => `\`${project}\` has no branch and no tag \`${ref}\``,
  ambiguous: ({ project, ref }) =>
    `\`${project}\` has a branch and a tag \`${ref}\`; write \`refs/heads/${ref}\` or \`refs/tags/${ref}\``,
  other_format: ({ project }) => `\`${project}\` changed its object format while it was read`,
};

const readAt = async (
  mirror: Mirror,
  source: RuleSource,
  commit: CommitSha,
  signal: AbortSignal,
): Promise<Omit<LoadedSource, 'key'>> => {
  const { name, rules: folder, guidelines: path } = source;
  const revisions = createRevisions(mirror.git);
  try {
    const set =
      folder === null
        ? { name, rules: [], problems: [] }
        : await readRules(revisions, { name, commit, folder }, signal);
    const read = path === null ? NOTHING : await readSourceGuidelines(revisions, { name, commit, path }, signal);
    const isEmpty = folder !== null && set.rules.length + set.problems.length === 0;
    const empty = isEmpty
      ? [problemOf({ ...source, guidelines: null }, `are missing: \`${folder}\` contains none`)]
      : [];
    return {
      name,
      commit,
      set: { ...set, problems: [...empty, ...set.problems, ...read.problems] },
      guidelines: read.guidelines,
    };
  } finally {
    revisions.close();
  }
};

const NOTHING = { guidelines: [], problems: [] } as const;
