/** Formats a line of the log for people on a terminal. In a pipe the lines stay JSON. */
import { styleText } from 'node:util';
import { z } from 'zod';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';

const Line = z.looseObject({ level: z.string(), time: z.string(), service: z.string(), msg: z.string() });

const Thrown = z.looseObject({ message: z.string(), code: z.string().optional() });

const SHOWN_APART = new Set(['level', 'time', 'service', 'msg', 'err', 'error']);

const COLOURS: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'dim',
};

export type LineStyle = { readonly colour: boolean };

/**
 * The local time, the service, the level, the message and the other fields. A line that is not a log line is not
 * changed.
 */
export const readableLine = (line: string, { colour }: LineStyle): string => {
  const entry = parseLine(line);
  if (entry === null) return escapeForTerminalLine(line);
  const { level, time, service, msg } = entry;
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const parts = [
    paint('dim', clockTime(time)),
    paint('bold', escapeForTerminalLine(service).padEnd(8)),
    paint(COLOURS[level] ?? 'reset', escapeForTerminalLine(level).padEnd(5)),
    escapeForTerminalLine(msg),
    ...thrownIn(entry).map((text) => escapeForTerminalLine(text)),
    ...fieldsOf(entry).map((text) => paint('dim', escapeForTerminalLine(text))),
  ];
  return parts.join(' ');
};

const parseLine = (line: string): z.output<typeof Line> | null => {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
};

const clockTime = (iso: string): string => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return escapeForTerminalLine(iso);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
};

const thrownIn = (entry: z.output<typeof Line>): readonly string[] =>
  [entry['err'], entry['error']].flatMap((thrown) => {
    const { data } = Thrown.safeParse(thrown);
    if (data === undefined) return [];
    return [`(${data.message}${data.code === undefined ? '' : `, ${data.code}`})`];
  });

const fieldsOf = (entry: z.output<typeof Line>): readonly string[] =>
  Object.entries(entry)
    .filter(([name]) => !SHOWN_APART.has(name))
    .map(([name, value]) => `${name}=${shown(value)}`);

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
