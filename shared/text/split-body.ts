import type { PostableBody } from './postable-body.ts';
import { asPostable } from './postable.ts';
import { breakLineStart } from './break-points.ts';
import { cutPoint } from './cut.ts';
import { makeInert, type InertOptions } from './inert.ts';

/** What stays together while there is room: one line of prose, or a fenced block as `codeFence` writes it. */
type Unit =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'fence'; readonly open: string; readonly lines: readonly string[]; readonly close: string };

const FENCE = /^(`{3,}|~{3,})(?:[a-z0-9]*|suggestion:-\d+\+\d+)$/;

const readUnits = (body: string): readonly Unit[] => {
  const lines = body.split('\n');
  const units: Unit[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const text = lines[index] ?? '';
    const close = FENCE.exec(text)?.[1];
    const end = close === undefined ? -1 : lines.indexOf(close, index + 1);
    if (close === undefined || end === -1) units.push({ kind: 'line', text });
    else {
      units.push({ kind: 'fence', open: text, lines: lines.slice(index + 1, end), close });
      index = end;
    }
  }
  return units;
};

/** Nobody knows any more what the parts of a line may hold, so they are made inert again, by the strictest rules. */
const STRICTEST: InertOptions = { forgeBaseUrl: 'none:', mayMention: [], mayBeRow: true };

const isMarker = (line: string): boolean => line.startsWith('<!-- fixpoint:');

const splitLine = (line: string, room: number, repair: (piece: string) => string): readonly string[] => {
  if (line.length <= room) return [line];
  const pieces: string[] = [];
  let rest = line;
  while (rest !== '') {
    let length = room;
    let at = Math.max(1, cutPoint(rest, length));
    while (length > 1 && repair(rest.slice(0, at)).length > room) {
      length = Math.floor(length * 0.9);
      at = Math.max(1, cutPoint(rest, length));
    }
    pieces.push(repair(rest.slice(0, at)));
    rest = rest.slice(at);
  }
  return pieces;
};

/** Half of a suggestion would be applied as if it were the whole: its parts are plain code. */
const splitFence = (unit: Unit & { kind: 'fence' }, room: number): readonly string[] => {
  const whole = [unit.open, ...unit.lines, unit.close].join('\n');
  if (whole.length <= room) return [whole];
  const open = unit.open.includes('suggestion') ? unit.close : unit.open;
  const inside = Math.max(1, room - open.length - unit.close.length - 2);
  const lines = unit.lines.flatMap((line) => splitLine(line, inside, breakLineStart));
  return pack(lines, inside).map((code) => `${open}\n${code}\n${unit.close}`);
};

const pack = (chunks: readonly string[], room: number): readonly string[] => {
  const packed: string[] = [];
  let current: string | null = null;
  for (const chunk of chunks) {
    if (current !== null && current.length + 1 + chunk.length <= room) current = `${current}\n${chunk}`;
    else {
      if (current !== null) packed.push(current);
      current = chunk;
    }
  }
  return current === null ? packed : [...packed, current];
};

/**
 * Divides a body for a forge with a limit: at line ends, fenced blocks whole while they fit, else closed and opened
 * again. Every piece is at most `maxLength` UTF-16 units (at least 200) long, except that a marker is never divided: it
 * stands in the last piece, for which the caller leaves room.
 */
export const splitBody = (body: PostableBody, maxLength: number): readonly PostableBody[] => {
  if (body.length <= maxLength) return [body];
  const room = Math.max(200, maxLength);
  const chunks = readUnits(body).flatMap((unit) => {
    if (unit.kind === 'fence') return splitFence(unit, room);
    return isMarker(unit.text) ? [unit.text] : splitLine(unit.text, room, (piece) => makeInert(piece, STRICTEST));
  });
  return pack(chunks, room)
    .filter((piece) => piece.trim() !== '')
    .map(asPostable);
};
