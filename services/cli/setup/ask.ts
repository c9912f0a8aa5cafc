/** Asks questions on a terminal. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Contract: returns the answer, trimmed. With `hidden`, typed characters are not shown. */
export type AskPerson = (question: string, hidden?: 'hidden') => Promise<string>;

export type Terminal = { readonly ask: AskPerson; readonly close: () => void };

export const openTerminal = (input: NodeJS.ReadStream, output: NodeJS.WriteStream): Terminal => {
  let silent = false;
  const shown = new Writable({
    write: (chunk: Buffer, _encoding, written) => {
      if (!silent) output.write(chunk);
      written();
    },
  });
  const lines = createInterface({ input, output: shown, terminal: true });
  let open = true;
  lines.once('close', () => (open = false));
  // In raw mode Ctrl-C arrives as a key. Closing gives the current question an empty answer.
  lines.on('SIGINT', () => lines.close());
  const ask: AskPerson = async (question, hidden) => {
    if (!open) return '';
    output.write(question);
    silent = hidden !== undefined;
    try {
      return (await nextLine(lines)).trim();
    } finally {
      if (silent) output.write('\n');
      silent = false;
    }
  };
  return { ask, close: () => lines.close() };
};

/** Returns an empty answer at the end of the input (Ctrl-D). */
const nextLine = async (lines: Interface): Promise<string> =>
  new Promise((resolve) => {
    const onClose = (): void => resolve('');
    lines.once('close', onClose);
    lines.question('', (answer) => {
      lines.off('close', onClose);
      resolve(answer);
    });
  });
