import { listMessages, putMessage } from '../../../shared/mailbox/folder.ts';
import { byUrgency, isExpired } from '../../../shared/protocol/mailbox-order.ts';
import { type ReviewMessage, recipientsOf } from '../../../shared/protocol/message.ts';
import { parseMessage } from '../../../shared/protocol/parse-message.ts';
import { type Problem, printProblem } from '../../../shared/protocol/yaml/problem.ts';
import { readDocument } from '../../../shared/protocol/read-document.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { documentFiles, readDocumentTexts } from './messages-read.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** Exit code for an invalid document. Stable, because scripts rely on it. */
const INVALID = 1;

const sayLine = (text: string): void => void process.stdout.write(`${escapeForTerminalLine(text)}\n`);

const sayProblems = (file: string, problems: readonly Problem[]): void => {
  for (const problem of problems)
    process.stderr.write(`${escapeForTerminalLine(`${file}: ${printProblem(problem)}`)}\n`);
};

type NamedDocument = { readonly name: string; readonly text: string };

const documentsOf = async (file: string): Promise<readonly NamedDocument[]> => {
  const texts = await readDocumentTexts(file);
  return texts.map((text, index) => ({ name: texts.length === 1 ? file : `${file}, document ${index + 1}`, text }));
};

/** Checks every document of every file, even after an error. */
export const validateMessages = async (named: readonly string[]): Promise<number> => {
  let code = 0;
  const files = (await Promise.all(named.map(documentFiles))).flat();
  for (const file of files) {
    for (const { name, text } of await documentsOf(file)) {
      const reading = readDocument(text);
      if (reading.kind === 'document') sayLine(`${name}: valid ${reading.what}`);
      else {
        sayProblems(name, reading.problems);
        code = INVALID;
      }
    }
  }
  return code;
};

type Waiting = { readonly file: string; readonly message: ReviewMessage };

/** Lists the messages in a folder, most urgent first, and removes none. `after`: only messages later than this id. */
export const showInbox = async (folder: string, after: string | null, nowMs: number): Promise<number> => {
  const waiting: Waiting[] = [];
  let code = 0;
  for (const { file, reading } of await listMessages(folder)) {
    if (reading.kind === 'message') {
      waiting.push({ file, message: reading.message });
      continue;
    }
    sayProblems(file, reading.problems);
    code = INVALID;
  }
  for (const { file, message } of laterThan(waiting, after).toSorted((one, other) =>
    byUrgency(one.message, other.message),
  )) {
    sayLine(lineOf(file, message, nowMs));
  }
  return code;
};

/**
 * Times are whole seconds, so messages of the same second also count as later. A message may be shown twice, but none
 * is missed.
 */
const laterThan = (waiting: readonly Waiting[], after: string | null): readonly Waiting[] => {
  if (after === null) return waiting;
  const seen = waiting.find(({ message }) => message.id === after);
  if (seen === undefined) throw new UsageError(`no message in the folder has the id "${after}"`);
  return waiting.filter(({ message }) => message.id !== after && message.created_at_utc >= seen.message.created_at_utc);
};

const lineOf = (file: string, message: ReviewMessage, nowMs: number): string => {
  const { priority, created_at_utc: at, type, from, subject } = message;
  const expired = isExpired(message, nowMs) ? ' (expired)' : '';
  return `${priority} ${at} ${type} ${from} > ${recipientsOf(message).join(', ')}${expired} ${file} ${subject}`;
};

/** Writes each message into its own file in the folder. Writes nothing when one message is invalid. */
export const fillOutbox = async (folder: string, files: readonly string[]): Promise<number> => {
  const messages: ReviewMessage[] = [];
  let code = 0;
  for (const { name, text } of (await Promise.all(files.map(documentsOf))).flat()) {
    const reading = parseMessage(text);
    if (reading.kind === 'message') {
      messages.push(reading.message);
      continue;
    }
    sayProblems(name, reading.problems);
    code = INVALID;
  }
  if (code !== 0) return code;
  for (const message of messages) {
    const { kind, file } = await putMessage(folder, message);
    sayLine(`${file}: ${kind === 'stored' ? 'stored' : 'already there'}`);
  }
  return 0;
};
