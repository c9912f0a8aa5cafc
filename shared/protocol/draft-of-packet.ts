/** Turns an external reviewer's answer into a draft, which passes the same gate as any other draft. */
import type { ExceededBudget } from '../vocabulary/exceeded.ts';
import type { DraftFinding, ReportedFix, ThreadAnswer } from '../vocabulary/finding.ts';
import type { OmittedFile } from '../vocabulary/coverage.ts';
import type { OutsideAnswer } from './pending-review.ts';
import { ESCALATIONS } from './bodies.ts';
import { type FindingsPacket, isStanding, type PacketFinding } from './findings-packet.ts';
import type { ReviewLgtm } from './message.ts';
import type { Nit } from './nit.ts';
import type { OpenFinding, ReviewPacket } from './review-packet.ts';

export type OutsideDraft = {
  readonly summary: string;
  readonly findings: readonly DraftFinding[];
  /** The answers: one per open finding of the request, unless a budget ran out. */
  readonly answers: readonly ThreadAnswer[];
  /** Threads that wait for a person and that the packet reports as fixed, with its quote as evidence. */
  readonly fixed: readonly ReportedFix[];
  readonly omitted: readonly OmittedFile[];
  readonly exceeded: ExceededBudget | null;
};

export type OutsideRequest = Pick<ReviewPacket, 'open_findings' | 'closed_findings' | 'changed_files'> & {
  readonly maxTurns: number;
};

/** Contract: `judgeAnswer` has accepted the answer for this request. */
export const draftOfPacket = (
  { message, packet }: Pick<OutsideAnswer, 'message' | 'packet'>,
  asked: OutsideRequest,
): OutsideDraft => {
  const entries = packet?.findings ?? [];
  const nits = message.type === 'review_lgtm' ? (message.body.nits ?? []) : [];
  const known = new Set<string>([...asked.open_findings, ...asked.closed_findings].map(({ id }) => id));
  const fresh = entries.filter((entry) => !known.has(entry.id) && isStanding(entry));
  const escalation = message.type === 'review_feedback' ? (message.body.escalation ?? null) : null;
  return {
    summary: summaryOf(
      message.from,
      nits.filter(({ source }) => source === undefined || !known.has(source)),
      commandsOf(packet),
    ),
    findings: fresh.map((entry) => findingOf(entry, asked.changed_files)),
    answers: asked.open_findings.flatMap((finding) => {
      const entry = entries.find(({ id }) => id === finding.id);
      if (entry !== undefined) return [answerOf(entry, finding)];
      return message.type === 'review_lgtm' ? [passed(finding, message)] : [];
    }),
    fixed: asked.closed_findings.flatMap(({ id }) => {
      const entry = entries.find((each) => each.id === id && each.status === 'fixed');
      return entry === undefined
        ? []
        : [{ findingId: id, evidence: entry.evidence.slice(0, MAX_EVIDENCE), rule: null }];
    }),
    omitted: [...omittedBy(escalation), ...failedCommands(packet)],
    exceeded: escalation === ESCALATIONS.budget ? { budget: 'turns', scope: 'run', limit: asked.maxTurns } : null,
  };
};

const MAX_SUMMARY = 20_000;

type CommandRun = NonNullable<FindingsPacket['qa_validation']>['commands_run'][number];

const commandsOf = (packet: FindingsPacket | null): readonly CommandRun[] => packet?.qa_validation?.commands_run ?? [];

const MAX_COMMAND = 200;

const shown = ({ command }: CommandRun): string =>
  `\`${command
    .replaceAll(/[`\s]+/g, ' ')
    .trim()
    .slice(0, MAX_COMMAND)}\``;

const summaryOf = (reviewer: string, nits: readonly Nit[], commands: readonly CommandRun[]): string =>
  [
    `Reviewed by \`${reviewer}\`, outside this service.`,
    ...commands.map((each) => `- \`${reviewer}\` says that it ran ${shown(each)}: ${each.result}.`),
    ...nits.map(
      ({ tier, summary, owner, next_action: next }) => `- ${tier}: ${summary}. Owner: ${owner}. Next: ${next}.`,
    ),
  ]
    .join('\n')
    .slice(0, MAX_SUMMARY);

const UNFINISHED = '(the whole change)';

/** Every escalation except `max_rounds_exceeded` and `reviewer_budget_exceeded` means that something was not reviewed. */
const omittedBy = (escalation: string | null): readonly OmittedFile[] =>
  escalation === null || escalation === ESCALATIONS.maxRounds || escalation === ESCALATIONS.budget
    ? []
    : [{ path: UNFINISHED, reason: `the reviewer says: ${escalation}` }];

/** A failed command that the reviewer reports prevents a pass; a passed command is not enough for a pass. */
const failedCommands = (packet: FindingsPacket | null): readonly OmittedFile[] =>
  commandsOf(packet)
    .filter(({ result }) => result === 'fail')
    .map((each) => ({ path: UNFINISHED, reason: `the reviewer says that ${shown(each)} failed` }));

const NOWHERE = '(no file)';
const MAX_TITLE = 200;
const MAX_BODY = 8000;
const MAX_EVIDENCE = 4000;

const findingOf = (entry: PacketFinding, changedFiles: readonly string[]): DraftFinding => {
  const { file, line, severity, blocking, evidence } = entry;
  return {
    path: file === '' ? NOWHERE : file,
    side: 'new',
    startLine: line ?? 1,
    line: line ?? 1,
    severity,
    relation: relationOf(entry, changedFiles),
    title: titleOf(entry),
    body: bodyOf(entry),
    evidence: evidence.slice(0, MAX_EVIDENCE),
    suggestion: null,
    blocking,
    rule: null,
  };
};

/** In an unchanged file, a blocking finding must be related to the change; a non-blocking finding is only a note. */
const relationOf = ({ file, blocking }: PacketFinding, changedFiles: readonly string[]): DraftFinding['relation'] => {
  if (file === '' || changedFiles.includes(file)) return 'current_diff';
  return blocking ? 'required_by_current_diff' : 'outside_diff';
};

const titleOf = ({ repro, recommendation, expected, id }: PacketFinding): string =>
  [repro, recommendation, expected, id]
    .map((each) => each.trim().split('\n', 1).join('').slice(0, MAX_TITLE))
    .find((each) => each !== '') ?? id;

const bodyOf = (entry: PacketFinding): string => {
  const { repro, expected, recommendation } = entry;
  const parts = [
    repro,
    ...(expected.trim() === '' ? [] : [`Expected: ${expected}`]),
    ...(recommendation.trim() === '' ? [] : [`Recommended: ${recommendation}`]),
  ];
  const text = parts.join('\n\n').trim().slice(0, MAX_BODY);
  return text === '' ? titleOf(entry) : text;
};

/** The body is the reviewer's text for the thread, or a default sentence for its status. */
const answerOf = (entry: PacketFinding, finding: OpenFinding): ThreadAnswer => {
  const { status, severity } = entry;
  const body = (said(entry) || WORDS[status]).slice(0, MAX_BODY);
  const answer = { findingId: finding.id, severity: null, body };
  if (!isStanding(entry)) {
    const evidence = entry.evidence.slice(0, MAX_EVIDENCE);
    return { ...answer, stance: 'accepts', action: 'resolve', ...(evidence === '' ? {} : { evidence }) };
  }
  // P0 is the smallest string, so severities can be compared as text.
  if (severity < finding.severity) return { ...answer, stance: 'seeks_change', action: 'escalate', severity };
  const mayReply = status !== 'needs_clarification' && finding.legal_actions.includes('reply');
  return { ...answer, stance: 'seeks_change', action: mayReply ? 'reply' : 'veto' };
};

const said = ({ recommendation, expected, repro }: PacketFinding): string =>
  [recommendation, expected, repro].map((each) => each.trim()).find((each) => each !== '') ?? '';

const WORDS: Readonly<Record<PacketFinding['status'], string>> = {
  open: 'This finding still applies.',
  not_fixed: 'This finding still applies.',
  fixed: 'This finding is fixed.',
  wont_fix: 'The reviewer accepts that this finding is not fixed.',
  needs_clarification: 'A human must decide about this finding.',
};

const passed = (finding: OpenFinding, { body }: ReviewLgtm): ThreadAnswer => {
  const nit = body.nits?.find(({ source }) => source === finding.id);
  const text =
    nit === undefined ? 'Accepted with the pass.' : `Deferred: ${nit.owner} owns it. Next: ${nit.next_action}.`;
  return { findingId: finding.id, stance: 'accepts', action: 'resolve', severity: null, body: text };
};
