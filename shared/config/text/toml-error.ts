/** Words for a TOML error that never quote the file. */
import type { TomlError } from 'smol-toml';

/**
 * For example `line 3, column 1: the key or table is defined twice`. Lines and columns count from 1. The parser's message
 * is not shown, because it quotes the lines around the error, which may contain a secret.
 */
export function describeTomlError({ line, column, message }: TomlError): string {
  // The first line of the message names the error; the quoted lines come after it.
  const isTwice = (message.split('\n', 1)[0] ?? '').includes('trying to redefine');
  return `line ${line}, column ${column}: ${isTwice ? 'the key or table is defined twice' : 'not valid TOML'}`;
}
