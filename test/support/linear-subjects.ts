/** Every parser that reads a stranger's text, as a function of that text alone. None of them may throw. */
import { parseLooseJson } from '../../shared/agent/loose-json.ts';
import { parseRepositorySettings } from '../../shared/config/repository-settings.ts';
import { parseAttributes } from '../../shared/diff/attributes.ts';
import { compileGlob } from '../../shared/diff/glob-match.ts';
import { parseDiff } from '../../shared/diff/parse.ts';
import { parseMessage } from '../../shared/protocol/parse-message.ts';
import { compareCode } from '../../shared/rounds/duplicates-code.ts';
import { splitWords } from '../../shared/rounds/duplicates-words.ts';
import { ownLines } from '../../shared/rounds/own-words.ts';
import { parseSpoken } from '../../shared/rounds/spoken.ts';
import { SECRET_PATTERNS } from '../../shared/rules/secrets/secret-patterns.ts';
import { scanText, TEXT_RULES } from '../../shared/rules/text-rules.ts';
import { readMarkers, stripMarkers } from '../../shared/text/marker.ts';
import { evidenceHolds } from '../../shared/text/normalise-evidence.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { sanitize, sanitizeLine, sanitizeSuggestion } from '../../shared/text/sanitize.ts';
import { splitBody } from '../../shared/text/split-body.ts';
import { readVerdict } from '../../services/slots/verdict.ts';
import { readAgentOutput } from '../../services/slots/agent-output.ts';

const RULES = { forgeBaseUrl: 'https://forge.example', mayMention: ['on-call'], maxLength: 10_000_000, secrets: [] };
const SECRETS = ['Zx81qL0pT7wEmm39'.toLowerCase()];

/** `body`: what a diff begins with. */
const FILE = 'diff --git a/a b/a\nindex 1111111..2222222 100644\n--- a/a\n+++ b/a\n@@ -0,0 +1,3 @@\n';

export type LinearSubject = {
  readonly name: string;
  readonly read: (text: string) => unknown;
};

export const LINEAR_SUBJECTS: readonly LinearSubject[] = [
  { name: 'own words', read: (text) => ownLines(text) },
  { name: 'commands', read: (text) => parseSpoken(`@fixpoint ${text}`, 'fixpoint') },
  { name: 'commands, behind', read: (text) => parseSpoken(`${text}\n\n@fixpoint review`, 'fixpoint') },
  { name: 'sanitizer', read: (text) => sanitize(text, RULES) },
  { name: 'sanitizer of a line', read: (text) => sanitizeLine(text, RULES) },
  { name: 'suggestion', read: (text) => sanitizeSuggestion(`\`\`\`suggestion\n${text}\n\`\`\``, RULES) },
  { name: 'division of a body', read: (text) => splitBody(sanitize(text, RULES).body, 2_000) },
  { name: 'redaction', read: (text) => createRedactor(SECRETS)(text) },
  { name: 'secret patterns', read: (text) => SECRET_PATTERNS.map(({ pattern }) => [...text.matchAll(pattern)].length) },
  { name: 'markers', read: (text) => [readMarkers(text, SECRETS), stripMarkers(text)] },
  { name: 'evidence', read: (text) => evidenceHolds(text.slice(text.length / 2), text, createRedactor([])) },
  { name: 'diff', read: (text) => attempt(() => parseDiff(`${FILE}${text}`)) },
  { name: 'diff, bare', read: (text) => attempt(() => parseDiff(text)) },
  { name: 'message', read: (text) => parseMessage(text) },
  { name: 'front matter', read: (text) => parseMessage(`---\nbody: |\n  ${text.replaceAll('\n', '\n  ')}`) },
  { name: 'settings of a repository', read: (text) => parseRepositorySettings(text.slice(0, 16 * 1024)) },
  { name: 'attributes', read: (text) => parseAttributes([{ folder: '', text }]).lookUp('a/b.c') },
  { name: 'path against a glob', read: (text) => compileGlob('**/*a*/{a,*b*}/**/*.c')?.matches(text) },
  { name: 'glob against a path', read: (text) => compileGlob(text.slice(0, 1024))?.covers('a/'.repeat(2_000)) },
  { name: 'JSON of a model', read: (text) => parseLooseJson(`{"a": "b"} ${text}`) },
  { name: 'JSON of a model, within', read: (text) => parseLooseJson(`{"a": "${text}"}`) },
  { name: 'verdict of a program', read: (text) => readVerdict(`${text}\n{"verdict": "pass"}`) },
  { name: 'output of a program', read: (text) => readAgentOutput(text) },
  { name: 'words of a finding', read: (text) => splitWords(text) },
  { name: 'code of a finding', read: (text) => compareCode(text, `${text} `) },
  { name: 'text rules', read: (text) => scanText([{ path: 'a.js', text }], TEXT_RULES) },
];

/** What cannot be parsed is refused with an error. */
const attempt = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return null;
  }
};
