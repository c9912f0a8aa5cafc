/**
 * Every parser of untrusted text as a function of that text: comments and titles here, repository content in
 * `linear-repository-subjects.ts`. None may throw.
 */
import { readAgentOutput, errorEventsOf } from '../../services/slots/agent/agent-output.ts';
import { retryAfterSeconds } from '../../services/slots/agent/retry-after.ts';
import { hasStopMarker } from '../../services/slots/settings/stop-marker.ts';
import { parseTasksFile, pickedBead } from '../../services/slots/task/task.ts';
import { readVerdict } from '../../services/slots/verdict.ts';
import { parseLooseJson } from '../../shared/agent/submission/loose-json.ts';
import { parseCliLine } from '../../shared/claude-code/events.ts';
import type { ForgeComment } from '../../shared/forge/port-facts.ts';
import { readDocument } from '../../shared/protocol/read-document.ts';
import { parseMessage } from '../../shared/protocol/parse-message.ts';
import { compareCode } from '../../shared/rounds/duplicates/duplicates-code.ts';
import { type Claim, similarity } from '../../shared/rounds/duplicates/duplicates.ts';
import { readSummaryBody } from '../../shared/rounds/memory/read-summary-body.ts';
import { resolveFindingLinks } from '../../shared/rounds/plan/wording/finding-links.ts';
import { readFinding } from '../../shared/rounds/memory/finding-comment.ts';
import { stripQuotedText } from '../../shared/rounds/commands/strip-quoted-text.ts';
import { parseUserCommand } from '../../shared/rounds/commands/parse-command.ts';
import { codeFence, inlineCode } from '../../shared/text/code-fence.ts';
import { readMarkers, stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { sanitize, sanitizeSuggestion } from '../../shared/text/sanitize.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { parseForgejo } from '../../shared/forge/forgejo/webhooks/parse-forgejo.ts';
import { parseGitlab } from '../../shared/forge/gitlab/webhooks/parse-gitlab.ts';
import { parseJson } from '../../shared/webhooks/parse-json.ts';
import { parseBashCommand } from '../../shared/workspace/bash/bash-command.ts';
import { REPOSITORY_SUBJECTS } from './linear-repository-subjects.ts';

const KI = 1024;
const RULES = { forgeBaseUrl: 'https://forge.example', mayMention: ['on-call'], maxLength: 10_000_000, secrets: [] };
const SHORT = { ...RULES, maxLength: 2_000 };
const SECRETS = ['Zx81qL0pT7wEmm39'.toLowerCase()];

export type LinearSubject = {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** The most characters that can reach the parser. Absent when there is no such limit. */
  readonly most?: number;
  /** Set when the parser starts a program, which takes some hundred milliseconds for any text. */
  readonly spawns?: true;
};

const place = { path: 'a.js', side: 'new', startLine: 1, line: 1 } as const;
const claimOf = (text: string): Claim => ({ place, title: text.slice(0, 200), body: text, citedCode: text });

const commentOf = (body: string): { readonly comment: ForgeComment } => ({
  comment: {
    id: 'c',
    kind: 'inline',
    threadId: null,
    author: null,
    body,
    createdAtMs: 0,
    updatedAtMs: 0,
    place: null,
    resolved: null,
    webUrl: '',
  },
});

const COMMENTS: readonly LinearSubject[] = [
  { name: 'own words', read: (text) => stripQuotedText(text) },
  { name: 'commands', read: (text) => parseUserCommand(`@fixpoint ${text}`, 'fixpoint') },
  { name: 'commands, behind', read: (text) => parseUserCommand(`${text}\n\n@fixpoint review`, 'fixpoint') },
  { name: 'markers', read: (text) => [readMarkers(text, SECRETS), stripMarkers(text)] },
  { name: 'summary in parts', read: (text) => readSummaryBody(text) },
  { name: 'links to findings', read: (text) => resolveFindingLinks(text, new Map()) },
  { name: 'comment of a finding', read: (text) => readFinding(commentOf(text).comment) },
  {
    name: 'delivery of Forgejo',
    read: (text) => parseForgejo(FORGEJO_HEADERS, jsonOf(`{"comment": {"body": "${text}`)),
  },
  { name: 'delivery of GitLab', read: (text) => parseGitlab(GITLAB_HEADERS, jsonOf(text)) },
  { name: 'delivery with a comment', read: (text) => parseForgejo(FORGEJO_HEADERS, jsonOf(deliveryWith(text))) },
];

const FORGEJO_HEADERS = { 'x-forgejo-event': 'issue_comment', 'x-forgejo-event-type': 'pull_request_comment' };
const GITLAB_HEADERS = { 'x-gitlab-event': 'Note Hook' };
const jsonOf = (text: string): unknown => {
  const parsed = parseJson(Buffer.from(text));
  return parsed.ok ? parsed.value : null;
};
const deliveryWith = (body: string): string => JSON.stringify({ action: 'created', comment: { body }, is_pull: true });

const POSTED: readonly LinearSubject[] = [
  { name: 'sanitizer', read: (text) => sanitize(text, RULES) },
  { name: 'sanitizer, cut', read: (text) => sanitize(text, SHORT) },
  { name: 'suggestion', read: (text) => sanitizeSuggestion(`\`\`\`suggestion\n${text}\n\`\`\``, RULES) },
  { name: 'redaction', read: (text) => createRedactor(SECRETS)(text) },
  { name: 'code in a comment', read: (text) => [codeFence(text, text.slice(0, 100)), inlineCode(text)] },
  { name: 'line for a terminal', read: (text) => escapeForTerminalLine(text) },
  { name: 'likeness of findings', read: (text) => similarity(claimOf(text), claimOf(`${text} `)) },
  { name: 'code of a finding', read: (text) => compareCode(text, `${text} `) },
];

const PROTOCOL: readonly LinearSubject[] = [
  { name: 'message', read: (text) => parseMessage(text) },
  { name: 'message with a body', read: (text) => parseMessage(`---\nbody: |\n  ${text.replaceAll('\n', '\n  ')}`) },
  { name: 'packet', read: (text) => readDocument(`head_sha: a\n${text}`) },
];

/** Parsers of output from models and programs, which may repeat untrusted text. */
const ANSWERS: readonly LinearSubject[] = [
  { name: 'JSON of a model', read: (text) => parseLooseJson(`{"a": "b"} ${text}`), most: 400_000 },
  { name: 'JSON of a model, within', read: (text) => parseLooseJson(`{"a": "${text}"}`), most: 400_000 },
  { name: 'Bash command of a model', read: (text) => parseBashCommand(`git show ${text}`), most: 16 * KI },
  { name: 'verdict of a program', read: (text) => readVerdict(`${text}\n{"verdict": "pass"}`) },
  { name: 'output of a program', read: (text) => readAgentOutput(text) },
  { name: 'errors of a program', read: (text) => errorEventsOf(eventsOf(text)) },
  { name: 'event of a program', read: (text) => parseCliLine(text) },
  { name: 'last word of a program', read: (text) => hasStopMarker(text, ['no_beads_available']) },
  { name: 'time that a program asks for', read: (text) => retryAfterSeconds(text) },
  { name: 'tasks of a file', read: (text) => parseTasksFile(text) },
  { name: 'commands of a program', read: (text) => pickedBead([`bd ${text}`]) },
];

/** Turns the text into many events, each with a piece of it. */
const eventsOf = (text: string): string =>
  (text.match(/[^]{1,64}/g) ?? []).map((message) => JSON.stringify({ type: 'error', message })).join('\n');

export const LINEAR_SUBJECTS: readonly LinearSubject[] = [
  ...COMMENTS,
  ...POSTED,
  ...PROTOCOL,
  ...ANSWERS,
  ...REPOSITORY_SUBJECTS,
];
